"""The links between the GPUs of a node are there, or some are missing.

The topology matrix shows how each pair of GPUs is joined. Links are down where GPUs that are built for NVLink (or xGMI)
show PCIe paths to each other, where the peers of a GPU do not reach it, where a single pair has none, and where a GPU
has fewer links than they have; fewer at a single pair, which a switch does not explain, are a warning.
Bridges that join pairs, hybrid meshes and islands are design, and are not judged.

Why it matters: traffic that belongs on links of hundreds of GB/s takes PCIe, or shares the links that are left.
How to confirm: ``nvidia-smi nvlink --status`` on the node; ``nvidia-smi topo -m`` of a peer of the same kind.
What to do: see that the fabric manager runs; drain the node, reset its GPUs together, reboot; then call the vendor.
When it is wrong: virtual machines that got some GPUs of a board, and boards that are wired differently from most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from slowlink.catalog.gpus import Gpu, find_gpu
from slowlink.facts.gpu_links import (
    GpuLinks,
    described,
    gpu_links,
    left_out,
    lone_pairs,
    narrow_gpus,
    narrow_pairs,
    width,
)
from slowlink.facts.readings import by_attribute, by_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.gpu_phrases import SLOW_THOUGH_SOUND
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("nvlink-down",)

_BOARD = 8
"""GPUs of a board whose switches give every GPU all of its links; boards of four are meshes."""


def check(
    links: Annotated[Readings, Of("gpu-pair-link")], names: Annotated[Readings, Of("gpu-name")] | None
) -> Iterator[Finding | Proof]:
    """Node by node, because links join GPUs of one node."""
    models = by_node(names.all) if names is not None else {}
    sound: dict[str, list[Reading]] = {}
    for node, readings in by_node(by_attribute(links, "gpu-pair-link")).items():
        joined = gpu_links(readings)
        gpu = _model(models.get(node, []))
        found = list(_problems(joined, gpu))
        yield from found
        if joined.direct and not found:
            sound.setdefault(f"{len(joined.gpus)} GPUs have their links: {described(joined)}", []).extend(readings)
    for text, readings in sound.items():
        doubts = (*SLOW_THOUGH_SOUND, *_UNUSED)
        yield Proof(f"{on_nodes(readings)}{text}", reading_evidence(readings, most=2), doubted_by=doubts)


_UNUSED = ("p2p-disabled", "topology-overridden", "nvls-unavailable")
"""A matrix shows what links there are; whether a job uses them is another question."""


def _model(names: list[Reading]) -> Gpu | None:
    """The one model of a node's GPUs."""
    found = {str(reading.value) for reading in names}
    return find_gpu(found.pop()) if len(found) == 1 else None


def _problems(joined: GpuLinks, gpu: Gpu | None) -> Iterator[Finding]:
    if gpu is not None and gpu.fabric in ("bridge", "none", "hybrid"):
        return  # pairs without a link are their design
    readings = list(joined.readings.values())
    if not joined.direct:  # of an unknown GPU without any link nothing can be said
        if gpu is not None and gpu.fabric in ("nvswitch", "mesh"):
            what = f"{len(joined.gpus)} {gpu.title} are not joined by NVLink ({described(joined)})"
            yield _finding(readings, what, "likely", [])
        return
    alone = left_out(joined, known=gpu is not None)
    if alone:
        own = [joined.readings[pair] for gpu_number in alone for pair in joined.of(gpu_number)]
        what = f"GPU {listed([str(each) for each in alone])} has no link to the others ({described(joined)})"
        yield _finding(own, what, "likely", alone)
        return
    if lone := lone_pairs(joined):
        pairs = listed([f"GPU {a} and GPU {b}" for a, b in lone])
        what = f"{pairs} have no link between them, while every other pair has one ({described(joined)})"
        own = [joined.readings[pair] for pair in lone]
        yield _finding(own, what, "likely", sorted({each for pair in lone for each in pair}))
        return
    narrow = narrow_gpus(joined)
    everywhere = {width(link) for link in joined.links.values()}
    if (
        gpu is not None
        and gpu.links
        and gpu.fabric == "nvswitch"
        and len(joined.gpus) >= _BOARD
        and len(everywhere) == 1
    ):
        there = everywhere.pop()
        if there is not None and there < gpu.links:
            what = f"every pair of {gpu.title} shows {there} of {gpu.links} NVLinks"
            yield _finding(readings, what, "possible", [])
    elif narrow:
        usual = Counter(map(width, joined.direct.values())).most_common(1)[0][0]
        own = [joined.readings[pair] for each in narrow for pair in joined.of(each)]
        least = min(width(link) or 0 for each in narrow for link in joined.of(each).values())
        what = f"GPU {listed([str(each) for each in narrow])} shows {least} NVLinks where its peers show {usual}"
        yield _finding(own, what, "likely", narrow)
    elif uneven := narrow_pairs(joined):
        pair = uneven[0]
        usual = max(width(link) or 0 for link in joined.links.values())
        others = f" and {len(uneven) - 1} more" if len(uneven) > 1 else ""
        what = f"GPU {pair[0]}-{pair[1]}{others}: {width(joined.links[pair])} NVLinks where other pairs show {usual}"
        own = [joined.readings[pair] for pair in uneven]
        yield _finding(own, what, "possible", sorted({gpu for pair in uneven for gpu in pair}))


def _finding(readings: list[Reading], what: str, confidence: Confidence, gpus: list[int]) -> Finding:
    where = on_nodes(readings)
    return finding(
        "nvlink-down",
        f"{where}{what}",
        severity="error" if confidence == "likely" or not gpus else "warning",
        confidence=confidence,
        evidence=reading_evidence(readings, expected="a link as between their peers"),
        suspects=(*suspects("gpu", [f"{where.rstrip(': ')} {gpu}".strip() for gpu in gpus]), *node_suspects(readings)),
        explains=("p2p-disabled", "nvls-unavailable", "busbw-below-expected"),
        remedy=[("Read the state of the links, and that the fabric manager runs.", "nvidia-smi nvlink --status")],
        references=[XID],
    )

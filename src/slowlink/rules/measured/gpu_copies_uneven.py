"""Copies inside one node are slow: of one GPU, of a pair of GPUs, or of all of them.

nvbandwidth, CUDA's p2pBandwidthLatencyTest and bandwidthTest, rocm-bandwidth-test and TransferBench copy between the
host and each GPU, and between each pair of GPUs. The GPUs of a node are alike, so their numbers are: within a few per
cent. A GPU that the host reaches with half of what the others get has half of the lanes or of the speed of its PCIe
link; one that keeps up in a test one way, and not both ways at once, has a sound link. A GPU that is slow with all
its peers has lost its links; one slow pair has lost the link between the two. Where the GPU or its PCIe link is
known, what all of them reach is held against its PCIe generation and its NVLinks, too (docs/physics.md, "Copies
between two GPUs of a node"); else it is only told.

Why it matters: a ring is as fast as its slowest copy.
How to confirm: run the test again with nothing else on the node; read ``nvidia-smi -q`` (PCIe link, under load),
``nvidia-smi nvlink -s`` and ``topo -m``.
What to do: see the remedy of the cause: the slot and its lanes, the links, peer-to-peer.
When it is wrong: other work on the node, an instance of a cloud that has a part of the lanes, and copies from the
memory of the far socket are slower. GPUs that sit in pairs or on two sockets differ among themselves by design; then
nothing is concluded here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.catalog.gpus import Gpu, find_gpu
from slowlink.model.facts import Hardware, Matrices, Of, Readings
from slowlink.model.report import Confidence, Evidence, Finding, Severity, Suspect
from slowlink.model.state import Reading
from slowlink.parting import by_key
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence, suspects
from slowlink.rules.measured.copies_by_gpu import (
    BEYOND_PCIE,
    FEWEST,
    UNEVEN,
    Copies,
    alike,
    by_gpu,
    copies_of,
    slow_gpus,
    slow_pairs,
)

CAUSES = ("straggler-gpu", "pcie-link-degraded", "nvlink-down", "p2p-disabled")
DENIES = ("nvlink-down", "p2p-disabled", "pcie-link-degraded")

_PCIE = {3: 12.0, 4: 24.0, 5: 52.0, 6: 100.0}
"""GB/s that a copy from pinned memory usually has, of 16 lanes of a generation."""
_LANES = 16
_GENERATIONS = {8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""GT/s -> generation of PCIe."""
_SEE_PCIE = Step("See width and speed of its PCIe link, under load.", "lspci -vv | grep -E 'LnkCap:|LnkSta:'")
_SEE_LINKS = Step("Read the state of the links.", "nvidia-smi nvlink -s; nvidia-smi topo -m")
_SEE_XGMI = Step("Read the state of the links.", "amd-smi xgmi -l; rocm-smi --showtopo")
_AGAIN = Step("Run the test again with nothing else on the node.")


_FAR_BELOW = 0.5
"""Of what the others reach: no distance of memory inside a node explains it."""


class Params(Struct, frozen=True):
    """What share of the usual is how sure."""

    least: float = 0.7
    """Of what the GPU's PCIe link usually carries: from here on it is said beside that."""
    sound: float = 0.9
    """Of what the GPU's links carry: from here on it is a proof. Published copies between two GPUs reach 0.91 to 1.04
    of it (A100 274 of 264 to 300, H100 376 of 396, H800 160 to 172 of 176; docs/physics.md)."""
    lost: float = 0.8
    """Of the same: below it links are lost, or do not run at their speed. Between the two nothing is concluded."""
    odd: float = 0.55
    """Of what its PCIe generation usually carries: below it something is wrong, or the machine is a part of one."""
    sure: float = 0.3
    """Below it: no setting of a benchmark explains it."""


def check(
    matrices: Matrices,
    hardware: Hardware | None,
    links: Annotated[Readings, Of("pcie-width-max", "pcie-speed-max")] | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """One finding for each cause and its GPUs, over all tests; the test that shows it best."""
    gpu = find_gpu(hardware.gpu) if hardware is not None and hardware.gpu else None
    told: set[tuple[object, ...]] = set()
    proofs: list[Proof] = []
    every = copies_of(matrices.all)
    sound = _with_sound_links(every)
    known = _Links(links) if links is not None else None
    for copies in every:
        if copies.through_host:
            continue
        if copies.of == "host" and sound[_place(copies)] & set(slow_gpus(copies)):
            if not copies.both_ways and (one_way := _one_way(copies)) is not None:
                yield one_way
                told.add((one_way.cause, copies.matrix.host, one_way.suspects))
            continue  # neither accused nor proven: the processors' memory, or its distance, is the limit
        usual = _of_links(copies, known) if known is not None else None
        usual = _usual(copies, gpu) if usual is None else usual
        found = _uneven(copies) or _of_all(copies, gpu, usual, params)
        if found is None:
            proofs += _proof(copies, usual, params)
            continue
        key = (found.cause, copies.matrix.host, found.suspects)
        if key not in told:
            told.add(key)
            yield found
    if not told:
        yield from proofs


def _place(copies: Copies) -> tuple[str, str]:
    """Where the test ran: the node, and the source."""
    return copies.matrix.host or "", copies.matrix.ref.source


def _with_sound_links(every: Sequence[Copies]) -> dict[tuple[str, str], set[int]]:
    """By place, GPUs that keep up with the others in some test of copies one way with the host: lanes or speed that a
    link has lost are missed in each of them."""
    sound: dict[tuple[str, str], set[int]] = defaultdict(set)
    for copies in every:
        if copies.of == "host" and not copies.both_ways and len(copies.gpus) >= FEWEST:
            enough = UNEVEN * copies.usual
            sound[_place(copies)] |= {key[0] for key, value in copies.values.items() if value >= enough}
    return sound


def _uneven(copies: Copies) -> Finding | None:
    """One GPU or pair that falls behind its peers."""
    slow, pairs = slow_gpus(copies), slow_pairs(copies)
    if not slow and not pairs:
        return None
    levels = by_gpu(copies)
    if pairs:
        value, who = min(copies.values[pair] for pair in pairs), _names([f"{a}-{b}" for a, b in pairs])
        words = f"GPUs {who} copy at {value:.1f} GB/s, the other pairs at {copies.usual:.1f}"
        evidence = _lines(copies, [a for a, _ in pairs], value)
        both = [gpu for pair in pairs for gpu in pair]
        return _finding("nvlink-down", "likely", copies, words, evidence, both, _how_bad(value, copies.usual))
    value = min(levels[gpu] for gpu in slow)
    rest = [level for gpu, level in levels.items() if gpu not in slow]
    usual = sorted(rest)[len(rest) // 2]
    who = _names([str(gpu) for gpu in slow])
    cause = _cause(copies, usual)
    between = {"host": "with the host", "pairs": "with its peers", "gpus": "in its own memory"}[copies.of]
    words = f"GPU {who} copies {between} at {value:.1f} GB/s, the others at {usual:.1f}"
    return _finding(cause, "likely", copies, words, _lines(copies, slow, value), slow, _how_bad(value, usual))


def _one_way(copies: Copies) -> Finding | None:
    """A GPU that gets less than half of what the others get, in one direction alone. Its lanes are there; what holds it
    up may be credits, errors of one direction, or the memory that was copied."""
    levels = by_gpu(copies)
    slow = [gpu for gpu in slow_gpus(copies) if levels[gpu] < _FAR_BELOW * copies.usual]
    if not slow:
        return None
    value = min(levels[gpu] for gpu in slow)
    who = _names([str(gpu) for gpu in slow])
    words = f"GPU {who} copies with the host at {value:.1f} GB/s in one direction, the others at {copies.usual:.1f}"
    return _finding("pcie-link-degraded", "possible", copies, words, _lines(copies, slow, value), slow, "warning")


def _how_bad(value: float, usual: float) -> Severity:
    return "error" if value < UNEVEN * usual else "warning"


def _cause(copies: Copies, usual: float) -> str:
    if copies.of == "host":
        return "pcie-link-degraded"
    linked = usual >= BEYOND_PCIE * (2 if copies.both_ways else 1)
    return "nvlink-down" if copies.of == "pairs" and linked else "straggler-gpu"


def _of_all(copies: Copies, gpu: Gpu | None, usual: float | None, params: Params) -> Finding | None:
    """All of them far below what this GPU, or its link, can do."""
    most = max(copies.values.values())
    if usual is None or most >= (params.odd if copies.of == "host" else _least_of_links(copies, gpu, params)) * usual:
        return None
    confidence: Confidence = "likely" if most < params.sure * usual else "possible"
    who = _names([str(number) for number in copies.gpus])
    if copies.of == "host":
        link = f"generation {gpu.pcie_gen}" if gpu is not None else "link"
        words = f"GPU {who} copies with the host at {most:.1f} GB/s; its PCIe {link} usually has {usual:.0f}"
        cause = "pcie-link-degraded"
    else:
        words = f"GPUs {who} copy among themselves at {most:.1f} GB/s, and their links carry {usual:.0f}"
        cause = "p2p-disabled" if most < BEYOND_PCIE * (2 if copies.both_ways else 1) else "nvlink-down"
    severity: Severity = "error" if copies.of == "host" or most < params.sure * usual else "warning"
    return _finding(cause, confidence, copies, words, _lines(copies, copies.gpus, most), copies.gpus, severity)


def _least_of_links(copies: Copies, gpu: Gpu | None, params: Params) -> float:
    """The share of what links carry that all pairs have where no link is lost.

    Few GPUs may sit on a board that divides the links among them, and some tests count both directions as one.
    """
    divided = gpu is not None and len(copies.gpus) <= (gpu.small_mesh or 0) + 1
    return params.sure if divided or copies.both_ways else params.lost


def _usual(copies: Copies, gpu: Gpu | None) -> float | None:
    """GB/s that copies of this kind usually have; None where the GPU does not tell."""
    if gpu is None:
        return None
    if copies.of == "host":
        return _PCIE.get(gpu.pcie_gen or 0) if _is_plain(copies) else None
    if copies.of != "pairs" or len(copies.gpus) < 2:
        return None
    one = gpu.wire_gbs if gpu.fabric == "nvswitch" else gpu.pair_gbs if gpu.fabric == "mesh" else None
    return one * (2 if copies.both_ways else 1) if one is not None else None


def _is_plain(copies: Copies) -> bool:
    """From pinned memory, one way."""
    return "pageable" not in copies.matrix.name and not copies.both_ways


_OfGpu = dict[tuple[str, str], float]
"""(attribute, number of the GPU) -> the last number that was said."""


class _Links:
    """What tools say of the PCIe links of GPUs."""

    def __init__(self, links: Readings) -> None:
        said = [r for r in links.all if r.part.kind == "gpu" and not isinstance(r.value, str)]
        self._of_node = {host: _of_gpu(found) for host, found in by_key(said, lambda r: r.host).items()}
        self._of_source = {source: _of_gpu(found) for source, found in by_key(said, lambda r: r.ref.source).items()}

    def of(self, copies: Copies) -> _OfGpu:
        """On the node that was measured. Of a node that nobody names, what the same source says."""
        host = copies.matrix.host
        return self._of_node.get(host, {}) if host else self._of_source.get(copies.matrix.source, {})


def _of_gpu(readings: Iterable[Reading]) -> _OfGpu:
    return {(reading.attribute, reading.part.name): float(reading.value) for reading in readings}


def _of_links(copies: Copies, links: _Links) -> float | None:
    """GB/s that copies with the host usually have by what tools say of the lanes and the speed of each GPU; None where
    they do not, or not alike."""
    if copies.of != "host" or not _is_plain(copies):
        return None
    of_gpu = links.of(copies)
    usual = {
        _PCIE.get(_GENERATIONS.get(of_gpu.get(("pcie-speed-max", str(gpu)), 0.0), 0), 0.0)
        * of_gpu.get(("pcie-width-max", str(gpu)), 0.0)
        / _LANES
        for gpu in copies.gpus
    }
    return (usual.pop() or None) if len(usual) == 1 else None


def _proof(copies: Copies, usual: float | None, params: Params) -> list[Proof]:
    """Weight 0 where nothing says how fast they should be: GPUs that are alike may all be slow."""
    values = sorted(copies.values.values())
    if len(copies.gpus) == 1 and copies.of != "pairs":
        return [_of_one(copies, usual, params)]
    if len(values) < 2 or copies.of == "gpus" or (copies.of == "host" and not alike(copies)):
        return []
    least = params.least if copies.of == "host" else params.sound
    sound = usual is not None and values[0] >= least * usual
    what = f"{len(copies.gpus)} GPUs" if copies.of == "host" else f"{len(values)} pairs of {len(copies.gpus)} GPUs"
    whose = "with the host " if copies.of == "host" else ""
    kind = "usual for its PCIe link" if copies.of == "host" else "that its links carry"
    if copies.of == "host":
        against = f"; {usual:.0f} is {kind}" if sound else ""
    else:
        against = f" of {usual:.0f} {kind}" if usual is not None else ""
    node = f"{copies.matrix.host}: " if copies.matrix.host else ""
    words = f"{node}{what} copy {whose}at {values[0]:.1f} to {values[-1]:.1f} GB/s{against}"
    undecided = copies.of == "pairs" and not sound and (usual is not None or not alike(copies))
    return [
        Proof(
            f"{words}, which is not judged" if undecided else words,
            _lines(copies, copies.gpus[:1], values[0]),
            weight=int(sound and copies.of == "pairs"),
            measured=True,
            undecided=undecided,
        )
    ]


def _of_one(copies: Copies, usual: float | None, params: Params) -> Proof:
    """A GPU without peers in the test: what it reaches, beside its PCIe link where that is known."""
    ((gpu,), value), *_ = copies.values.items()
    sound = usual is not None and value >= params.least * usual
    against = f"; {usual:.0f} is usual for its PCIe link" if sound else ", which is not judged"
    node = f"{copies.matrix.host}: " if copies.matrix.host else ""
    words = f"{node}GPU {gpu} copies at {value:.1f} GB/s ({copies.matrix.name}){against}"
    return Proof(words, _lines(copies, [gpu], value), weight=0, measured=True, undecided=not sound)


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _lines(copies: Copies, gpus: Sequence[int], value: float) -> tuple[Evidence, ...]:
    refs = [copies.lines[gpu] for gpu in gpus if gpu in copies.lines] or [copies.matrix.ref]
    return (line_evidence(refs[0], observed=f"{copies.matrix.name}: {value:.1f} GB/s"),)


def _finding(
    cause: str,
    confidence: Confidence,
    copies: Copies,
    words: str,
    evidence: tuple[Evidence, ...],
    gpus: Sequence[int] = (),
    severity: Severity = "error",
) -> Finding:
    node = copies.matrix.host or ""
    accused: tuple[Suspect, ...] = suspects("gpu", [f"{node} GPU {gpu}".strip() for gpu in gpus])
    links = _SEE_LINKS if copies.matrix.tool in ("nvbandwidth", "cuda-samples") else _SEE_XGMI
    return finding(
        cause,
        f"{node}: {words}" if node else words,
        severity=severity,
        confidence=confidence,
        evidence=evidence,
        suspects=(*accused, *suspects("node", [node] if node else [])),
        explains=("busbw-below-expected",),
        remedy=[_SEE_PCIE if cause == "pcie-link-degraded" else links, _AGAIN],
    )

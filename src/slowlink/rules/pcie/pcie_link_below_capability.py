"""A GPU or HCA uses fewer lanes, or a lower speed, than it has.

``LnkCap`` is what a device can do, ``LnkSta`` what its link does; the port above it has both, too. Lanes do not come
and go, so missing ones are always judged. Speed is another matter: GPUs lower it while they are idle, so it counts only
under load, or if a GPU reaches it in none of several samples while the other GPUs do; an idle GPU that has all its
lanes is no proof. HCAs keep theirs. Of devices that the output does not name only missing lanes count: a low speed may
be that of an idle GPU. Empty ports (x0), virtual functions, storage and management devices are not judged.

Why it matters: half the lanes or one generation less halves what the device can carry, and every ring passes it.
How to confirm: ``lspci -s ADDRESS -vv | grep -E 'LnkCap:|LnkSta:'`` under load, also of the port above it.
What to do: reseat the card or riser, look at the firmware's settings (bifurcation, forced generation), and compare
with a sound node.
When it is wrong: some boards give a slot fewer lanes by design; then the port above can do no more, and all nodes are
alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.pci.links import LINK_ATTRIBUTES, PcieLink, pcie_links
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import SLOW_THOUGH_SOUND
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.pcie.pcie_verdicts import Judged, has_all_lanes, judge, unnamed_narrow
from slowlink.rules.pcie.remedies import RESEAT

CAUSES = ("pcie-link-degraded",)
DENIES = ("pcie-link-degraded", "pcie-errors")
"""A link that has all its lanes and sends each packet twice is not sound."""


class Params(Struct, frozen=True):
    """Which devices may be a GPU or HCA, and when a GPU is under load."""

    least_lanes: int = 8
    """Lanes of the smallest GPUs and HCAs in use; a device without a name that has fewer is neither."""
    load_percent: float = 50.0
    """Utilisation in % from which a GPU does not lower its speed to save power."""


def check(
    links: Annotated[Readings, Of(*LINK_ATTRIBUTES)],
    places: Annotated[Readings, Of("pci-role", "pci-buses", "pci-device", "gpu-bus-id", "hca-bus-id")] | None,
    load: Annotated[Readings, Of("gpu-utilisation")] | None,
    names: Annotated[Readings, Of("gpu-name")] | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """One finding for links that are surely below what they can do, one for doubtful ones, or proof."""
    every = pcie_links(links, places)
    judged = judge(every, load, params.load_percent, names)
    sure = [each for each in judged if each.sure]
    doubtful = [each for each in judged if not each.sure]
    if sure:
        yield _below(sure)
    if doubtful:
        yield _below(doubtful)
    unnamed = unnamed_narrow(every, params.least_lanes)
    if unnamed and not judged:
        yield _unnamed(unnamed, params.least_lanes)
    full = [link for link in every if link.part.kind in ("gpu", "hca") and has_all_lanes(link)]
    if full and not judged:
        yield from _proofs(full, all(has_all_lanes(link) for link in every if link.part.kind in ("gpu", "hca")))
    elif every and all(_sound(link) for link in every):
        yield Proof(f"the PCIe link of {listed([link.part.name for link in every])} runs at its full width and speed")


def _sound(link: PcieLink) -> bool:
    return link.full and link.speed is not None and not link.part.name.startswith("#")


def _proofs(full: Sequence[PcieLink], all_are: bool) -> Iterator[Proof]:
    """Links with all lanes; where an idle GPU has lowered its speed, or none was read, that alone proves nothing. Nor
    does it where of other GPUs or HCAs nobody knows how many they should have."""
    fast = [link for link in full if link.speed is not None and not link.slow]
    idle = [link for link in full if link.speed is None or link.slow]
    open_question = "; how fast they are under load is not shown: look while a job runs"
    for links, behind in ((fast, ""), (idle, open_question)):
        if links:
            words = f"the PCIe links of {_counted(links)} have all their lanes{behind}"
            evidence = reading_evidence([links[0].seen])
            doubts = SLOW_THOUGH_SOUND if any(link.part.kind == "gpu" for link in links) else ("pcie-errors",)
            yield Proof(words, evidence, weight=int(all_are and not behind), doubted_by=doubts)


def _counted(links: Sequence[PcieLink]) -> str:
    gpus = sum(link.part.kind == "gpu" for link in links)
    counts = [counted(gpus, "GPU")] if gpus else []
    return listed(counts + ([counted(len(links) - gpus, "HCA")] if len(links) > gpus else []))


_KINDS = {"gpu": "GPU", "hca": "HCA", "pci": "device"}


def _below(judged: Sequence[Judged]) -> Finding:
    seen = [each.link.seen for each in judged]
    kinds = {each.link.part.kind for each in judged}
    names = [f"{_KINDS[link.part.kind]} {link.part.name}" for link in dict.fromkeys(each.link for each in judged)]
    first = judged[0]
    says = first.link.says(speed_counts=first.speed_counts)
    return finding(
        "pcie-link-degraded",
        f"{on_nodes(seen)}{listed(names)}: a PCIe link of {says}; {first.why}",
        severity="error" if first.sure else "warning",
        confidence="likely" if first.sure else "possible",
        evidence=reading_evidence(seen, expected=_expected(first.link)),
        suspects=(*(s for kind in sorted(kinds) for s in part_suspects(kind, _of(kind, judged))), *node_suspects(seen)),
        explains=("busbw-below-expected", "straggler-gpu", "straggler-nic"),
        remedy=RESEAT,
        references=["https://docs.kernel.org/PCI/index.html"],
    )


def _of(kind: str, judged: Sequence[Judged]) -> list[Reading]:
    return [each.link.seen for each in judged if each.link.part.kind == kind]


def _expected(link: PcieLink) -> str:
    if link.narrow:
        return f"{link.width_max} lanes" if link.width_max else "more lanes"
    return f"{link.speed_max:g} GT/s" if link.speed_max else "a higher speed"


def _unnamed(links: Sequence[PcieLink], least_lanes: int) -> Finding:
    """A port with a smaller card in it shows the fewest lanes of all."""
    like_a_device = any((link.width or 0) >= least_lanes // 2 for link in links)
    return finding(
        "pcie-link-degraded",
        f"{on_nodes([link.seen for link in links])}{counted(len(links), 'PCIe link')} below what the device can do; "
        "the output does not name the devices: ports with smaller cards and storage show the same as GPUs or HCAs",
        severity="warning" if like_a_device else "info",
        confidence="possible",
        evidence=reading_evidence(link.seen for link in links),
        suspects=node_suspects([link.seen for link in links]),
        explains=("busbw-below-expected",),
        remedy=[("See which devices they are.", "lspci -D -vv | grep -E '^[0-9a-f]|LnkCap:|LnkSta:'")],
        references=["https://docs.kernel.org/PCI/index.html"],
    )

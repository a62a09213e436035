"""Which PCIe links are below what their device can do, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slowlink.facts.pcie_links import PcieLink
from slowlink.facts.readings import PartOfNode, by_part
from slowlink.model.facts import Readings
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import counted

MANY_SAMPLES = 2
"""Readings of one GPU from which it is a fault that not one shows the full speed."""
_BRIDGE = regex(r"(?i)\bbridge\b|\broot port\b|\b(?:up|down)stream port\b|\bswitch\b")
_WIDEST = 16
"""Lanes of the widest links that GPUs and HCAs have."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A link below what its device can do."""

    link: PcieLink
    sure: bool
    """False where the design of the machine or an idle GPU may be the reason, as ``why`` says."""
    why: str


def judge(links: Sequence[PcieLink], load: Readings | None, load_percent: float) -> list[Judged]:
    """Links below what they can do: of GPUs and HCAs, and of any device that is listed alone (it was asked for)."""
    busy = _busy(load, load_percent)
    asked = len(links) == 1 and links[0].part.kind == "pci" and _is_device(links[0])
    found = []
    for link in links:
        peers = [p for p in links if p.node == link.node and p.part.kind == link.part.kind and p is not link]
        judged = None
        if link.part.kind == "gpu":
            judged = _gpu(link, peers, under_load=(link.node, link.part) in busy)
        elif link.part.kind == "hca":
            judged = _hca(link, peers)
        elif asked and link.narrow:
            judged = Judged(link, sure=True, why="it has more lanes than it uses")
        elif asked and link.slow:
            judged = Judged(link, sure=False, why="an idle GPU lowers its speed to save power: look under load")
        if judged is not None:
            found.append(judged)
    return found


def _is_device(link: PcieLink) -> bool:
    """Not a bridge or port, whose link may be narrow by design or for want of a card; and not one that grep lost."""
    return not link.part.name.startswith("#") and not _BRIDGE.search(link.name)


def unnamed_narrow(links: Iterable[PcieLink], least_lanes: int) -> list[PcieLink]:
    """Links whose devices were lost to grep and that may be a GPU's or HCA's: half of ``least_lanes`` are in use."""
    return [
        link
        for link in links
        if link.part.name.startswith("#")
        and (link.narrow or link.slow)
        and (link.width or 0) >= least_lanes // 2
        and (link.width_max or least_lanes) >= least_lanes
    ]


def has_all_lanes(link: PcieLink) -> bool:
    """Does it use all lanes of its device? Where the device's width was not read, only the widest links surely do."""
    return bool(link.width) and not link.narrow and (link.width_max is not None or (link.width or 0) >= _WIDEST)


def _gpu(link: PcieLink, peers: Sequence[PcieLink], *, under_load: bool) -> Judged | None:
    if link.narrow:
        alike = bool(peers) and all(peer.narrow and peer.width == link.width for peer in peers)
        why = "all GPUs of the node are alike, which may be the design of its board" if alike else _why(link, peers)
        return Judged(link, sure=not alike, why=why)
    wider = [peer for peer in peers if (peer.width or 0) > (link.width or 0)]
    if link.width and link.width_max is None and len(wider) > len(peers) / 2:
        return Judged(link, sure=False, why="most other GPUs of the node have more lanes")
    if not link.slow:
        return None
    fast = [peer for peer in peers if peer.full]
    if under_load:  # idle GPUs lower their speed
        return Judged(link, sure=True, why=f"under load it should use {_speed_of_port(link)}")
    if link.samples >= MANY_SAMPLES and fast:
        return Judged(link, sure=True, why=f"in {link.samples} samples it never reached the speed of the other GPUs")
    if len(fast) > len(peers) / 2:
        return Judged(link, sure=False, why="most other GPUs run faster; an idle GPU may save power: look under load")
    return None


def _hca(link: PcieLink, peers: Sequence[PcieLink]) -> Judged | None:
    if not link.narrow and not link.slow:
        return None
    better = [
        peer for peer in peers if peer.full and peer.bandwidth_max > link.bandwidth_max and peer.name != link.name
    ]
    if better:
        return Judged(link, sure=False, why="the node has faster HCAs at full width; this may be one for storage")
    return Judged(link, sure=True, why=_why(link, peers))


def _why(link: PcieLink, peers: Sequence[PcieLink]) -> str:
    """What limits it, as far as that is known."""
    lanes = link.narrow and link.port_width_max is not None and link.port_width_max <= (link.width or 0)
    speed = link.slow and link.port_speed_max is not None and link.port_speed_max <= (link.speed or 0.0)
    if lanes or speed:
        return "the port above it can do no more"
    full = sum(not peer.narrow and not peer.slow for peer in peers)
    if full:
        return f"{counted(full, 'other')} of the node {'runs' if full == 1 else 'run'} at full width and speed"
    return "the device can do more"


def _speed_of_port(link: PcieLink) -> str:
    return f"{min(link.speed_max or 0.0, link.port_speed_max or link.speed_max or 0.0):g} GT/s"


def _busy(load: Readings | None, least: float) -> set[PartOfNode]:
    series = by_part(load.all) if load is not None else {}
    return {
        where
        for where, readings in series.items()
        if any(isinstance(r.value, int | float) and r.value >= least for r in readings)
    }

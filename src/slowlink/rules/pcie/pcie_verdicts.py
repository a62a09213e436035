"""Which PCIe links are below what their device can do, and how sure that is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from heapq import nlargest
from typing import TypeVar

from msgspec import Struct

from slowlink.catalog.pci import is_integrated
from slowlink.facts.pci.links import PcieLink
from slowlink.facts.readings import PartOfNode, by_part
from slowlink.model.facts import Readings
from slowlink.patterns import regex
from slowlink.rules.evidence.gpu_phrases import Models, models
from slowlink.rules.evidence.messages import counted

MANY_SAMPLES = 2
"""Readings of one GPU from which it is a fault that not one shows the full speed."""
_BRIDGE = regex(r"(?i)\bbridge\b|\broot port\b|\b(?:up|down)stream port\b|\bswitch\b")
_WIDEST = 16
"""Lanes of the widest links that GPUs and HCAs have."""
_IDLE = "most other GPUs run faster; an idle GPU may save power: look under load"
_BETWEEN = "most other GPUs run faster, and an idle one that saves power would fall further"
_SAVING = 5.0
"""GT/s: idle GPUs run at 2.5, of which some tools show the next generation."""
_BOARD = 8
"""GPUs of the usual board: of so many only one is narrower."""
_FEWEST = 8
"""Lanes of the smallest ones in use."""


_Key = TypeVar("_Key", bound=Hashable)


class Judged(Struct, frozen=True):
    """A link below what its device can do."""

    link: PcieLink
    sure: bool
    """False where the design of the machine or an idle GPU may be the reason, as ``why`` says."""
    why: str
    speed_counts: bool = True
    """False for a GPU that may be idle: a low speed is no part of the fault."""


class _Peers:
    """What is counted of all links of one kind on one node, once and not for each link."""

    def __init__(self, links: Sequence[PcieLink]) -> None:
        self.number = len(links)
        self.narrow = Counter(link.width for link in links if link.narrow)
        self.sound = sum(not link.narrow and not link.slow for link in links)
        full = [link for link in links if link.full]
        self.full = len(full)
        self._widths = sorted(link.width or 0 for link in links)
        self._speeds = sorted(link.speed for link in links if link.speed is not None)
        widest: dict[str, float] = {}
        for link in full:
            widest[link.name] = max(link.bandwidth_max, widest.get(link.name, 0.0))
        self._widest = nlargest(2, widest.items(), key=lambda entry: entry[1])
        """Two devices: of each link one may be its own."""

    def wider_than(self, width: int) -> int:
        """Links with more lanes."""
        return self.number - bisect_right(self._widths, width)

    def faster_than(self, speed: float) -> int:
        """Links of a higher generation."""
        return len(self._speeds) - bisect_right(self._speeds, speed)

    def has_faster(self, link: PcieLink) -> bool:
        """Another device at full width and speed that can do more."""
        return any(name != link.name and most > link.bandwidth_max for name, most in self._widest)


def judge(
    links: Sequence[PcieLink], load: Readings | None, load_percent: float, names: Readings | None = None
) -> list[Judged]:
    """Links below what they can do: of GPUs and HCAs, and of any device that is listed alone (it was asked for).

    ``names``: of GPUs. A card for a screen has fewer lanes than those beside it that compute, by design.
    """
    busy = _busy(load, load_percent)
    asked = len(links) == 1 and links[0].part.kind == "pci" and _is_device(links[0])
    models_of_gpus = models(names)
    of_node = _grouped(links, lambda link: (link.node, link.part.kind))
    of_model = _grouped(links, lambda link: (link.node, link.part.kind, _model(link, models_of_gpus)))
    found = []
    for link in links:
        peers = of_node[link.node, link.part.kind]
        judged = None
        if link.part.kind == "gpu" and not is_integrated(link.name):
            alike = of_model[link.node, link.part.kind, _model(link, models_of_gpus)]
            judged = _gpu(link, peers, alike, under_load=(link.node, link.part) in busy)
        elif link.part.kind == "hca":
            judged = _hca(link, peers)
        elif asked and link.narrow:
            judged = Judged(link, sure=True, why="it has more lanes than it uses")
        elif asked and link.slow:
            judged = Judged(link, sure=False, why="an idle GPU lowers its speed to save power: look under load")
        if judged is not None:
            found.append(judged)
    return found


def _grouped(links: Iterable[PcieLink], key: Callable[[PcieLink], _Key]) -> dict[_Key, _Peers]:
    groups: dict[_Key, list[PcieLink]] = {}
    for link in links:
        groups.setdefault(key(link), []).append(link)
    return {where: _Peers(group) for where, group in groups.items()}


def _model(link: PcieLink, models_of_gpus: Models) -> str:
    """The name of a GPU; "" where nobody gives one."""
    return models_of_gpus.names.get(link.node, {}).get(link.part.name, link.name)


def _is_device(link: PcieLink) -> bool:
    """Not a bridge or port, whose link may be narrow by design or for want of a card; and not one that grep lost. An
    address alone may be that of anything, and no GPU or HCA has so few lanes."""
    small = not link.name and (link.width_max or _WIDEST) < _FEWEST
    return not link.part.name.startswith("#") and not _BRIDGE.search(link.name) and not small


def unnamed_narrow(links: Iterable[PcieLink], least_lanes: int) -> list[PcieLink]:
    """Links whose devices were lost to grep and that may be a GPU's or HCA's: they have ``least_lanes`` or more.

    Lanes in use alone count. A lower speed at full width is what every idle GPU shows, and nobody says that it is none.
    """
    return [
        link
        for link in links
        if link.part.name.startswith("#") and link.narrow and (link.width_max or least_lanes) >= least_lanes
    ]


def has_all_lanes(link: PcieLink) -> bool:
    """Does it use all lanes of its device? Where the device's width was not read, only the widest links surely do."""
    return (
        bool(link.width)
        and not link.off
        and not link.narrow
        and (link.width_max is not None or (link.width or 0) >= _WIDEST)
    )


def _gpu(link: PcieLink, peers: _Peers, of_model: _Peers, *, under_load: bool) -> Judged | None:
    if link.narrow:
        alike = peers.number > 1 and peers.narrow[link.width] == peers.number
        why = "all GPUs of the node are alike, which may be the design of its board" if alike else _why(link, peers)
        return Judged(link, sure=not alike, why=why, speed_counts=under_load)
    others = peers.number - 1
    if link.width and link.width_max is None and of_model.wider_than(link.width) > (of_model.number - 1) / 2:
        alone = others >= _BOARD - 1 and of_model.wider_than(link.width) == others
        return Judged(link, sure=alone, why=f"{'all' if alone else 'most'} other GPUs of the node have more lanes")
    if (
        link.speed_max is None
        and link.speed is not None
        and of_model.faster_than(link.speed) > (of_model.number - 1) / 2
    ):
        return _slower_than_others(link)
    if not link.slow:
        return None
    if under_load:  # idle GPUs lower their speed
        return Judged(link, sure=True, why=f"under load it should use {_speed_of_port(link)}")
    if link.samples >= MANY_SAMPLES and peers.full:
        return Judged(link, sure=True, why=f"in {link.samples} samples it never reached the speed of the other GPUs")
    return _slower_than_others(link) if peers.full > others / 2 else None


def _slower_than_others(link: PcieLink) -> Judged:
    """A GPU that saves power falls to the first generation, not to one between."""
    between = (link.speed or 0.0) > _SAVING
    return Judged(link, sure=between, why=_BETWEEN if between else _IDLE)


def _hca(link: PcieLink, peers: _Peers) -> Judged | None:
    if not link.narrow and not link.slow:
        return None
    if peers.has_faster(link):
        return Judged(link, sure=False, why="the node has faster HCAs at full width; this may be one for storage")
    return Judged(link, sure=True, why=_why(link, peers))


def _why(link: PcieLink, peers: _Peers) -> str:
    """What limits it, as far as that is known."""
    lanes = link.narrow and link.port_width_max is not None and link.port_width_max <= (link.width or 0)
    speed = link.slow and link.port_speed_max is not None and link.port_speed_max <= (link.speed or 0.0)
    if lanes or speed:
        return "the port above it can do no more"
    if peers.sound:
        run = "runs" if peers.sound == 1 else "run"
        return f"{counted(peers.sound, 'other')} of the node {run} at full width and speed"
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

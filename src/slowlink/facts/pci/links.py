"""The PCIe link of each device: what it can, the best that was seen of it, and what the port above it can."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.pci.tree import PciTree, pci_trees
from slowlink.facts.readings import PartOfNode, by_part, latest
from slowlink.facts.readings import by_attribute as of_attribute
from slowlink.facts.stretches import Said, said_by_node, told
from slowlink.model.facts import Readings
from slowlink.model.state import Part, Reading, Value

LINK_ATTRIBUTES = (
    "pcie-width",
    "pcie-width-max",
    "pcie-speed",
    "pcie-speed-max",
    "pcie-width-reduced",
    "pcie-speed-reduced",
    "pcie-link-off",
)
_PLACES = ("pci-role", "pci-buses", "pci-device", "gpu-bus-id", "hca-bus-id")
_ByAttribute = Mapping[str, Mapping[PartOfNode, list[Reading]]]
NO_LANES = 0
"""``Width x0``: nothing is plugged in, or the function is a virtual one."""


class PcieLink(Struct, frozen=True):
    """One link, from its lower end. Speeds are GT/s; None where a value was not collected."""

    node: str
    part: Part
    name: str
    """Of the device, as lspci prints it; "" when unknown."""
    width: int | None
    """The most lanes of all samples."""
    width_max: int | None
    speed: float | None
    """The highest of all samples: idle GPUs lower it to save power."""
    speed_max: float | None
    port_width_max: int | None
    """What the port above can do."""
    port_speed_max: float | None
    marked_narrow: bool
    """The tool itself says that the width is below what the device can do."""
    marked_slow: bool
    off: bool
    """Switched off, or nothing answers at its other end: what it does then says nothing."""
    samples: int
    seen: Reading
    """The reading that stands for the link: the last of its greatest width, else whatever there is."""

    @property
    def narrow(self) -> bool:
        """Fewer lanes than the device has."""
        if self.off or self.width is None or self.width == NO_LANES:
            return False
        return self.width < self.width_max if self.width_max is not None else self.marked_narrow

    @property
    def slow(self) -> bool:
        """Below the device's speed in every sample."""
        if self.off or self.width == NO_LANES or self.speed is None:
            return False
        return self.speed < self.speed_max if self.speed_max is not None else self.marked_slow

    @property
    def full(self) -> bool:
        """All lanes at the device's speed."""
        known = self.width is not None and self.width_max is not None and self.width > NO_LANES
        return known and not self.off and not self.narrow and not self.slow

    @property
    def bandwidth_max(self) -> float:
        """Lanes times GT/s: a measure to compare devices by; 0 when unknown."""
        return (self.width_max or 0) * (self.speed_max or 0.0)

    def says(self, *, speed_counts: bool = True) -> str:
        """``8 of 16 lanes at 32 GT/s``, ``16 lanes at 2.5 of 32 GT/s``; the lanes alone where the speed is no fault."""
        lanes = f"{self.width} of {self.width_max} lanes" if self.narrow and self.width_max else f"{self.width} lanes"
        if self.speed is None or (self.slow and not speed_counts):
            return lanes
        speed = f"{self.speed:g} of {self.speed_max:g}" if self.slow and self.speed_max else f"{self.speed:g}"
        return f"{lanes} at {speed} GT/s"


def pcie_links(links: Readings, places: Readings | None) -> tuple[PcieLink, ...]:
    """Every link with a width, of GPUs, HCAs and other devices. ``places``: roles, buses and names of PCI devices."""
    of_links = [of_attribute(links, name) for name in LINK_ATTRIBUTES]
    of_places = [of_attribute(places, name) if places is not None else told(()) for name in _PLACES]
    known: dict[Hashable, Sequence[_Model]] = {}
    by_first: dict[tuple[int, str], list[PcieLink]] = {}
    for node, said in said_by_node([*of_links, *of_places]).items():
        if said.kind not in known:
            known[said.kind] = _models(node, said)
        for model in known[said.kind]:
            by_first.setdefault((model.first, node), []).append(model.of(node, said))
    nodes = [dict.fromkeys(host or "" for host in readings.hosts) for readings in of_links]
    return tuple(
        link for first, hosts in enumerate(nodes) for node in hosts for link in by_first.get((first, node), ())
    )


class _Model(Struct, frozen=True):
    """A link as all nodes of one kind have it."""

    link: PcieLink
    first: int
    """Number of the first attribute that was read of it."""
    seen: tuple[int, int]
    """Number of an attribute, and place among what a node says of it."""
    widths: Sequence[int]
    """Places, where there are several."""

    def of(self, node: str, said: Said) -> PcieLink:
        """That of this node."""
        number, place = self.seen
        times = {(r.at, r.ref.source, r.ref.line) for r in said.of_each[0].picked(self.widths)}
        (seen,) = said.of_each[number].picked((place,))
        return replace(self.link, node=node, seen=seen, samples=len(times) or self.link.samples)


def _models(node: str, said: Said) -> Sequence[_Model]:
    """The links of a node for all nodes of its kind."""
    number_of = len(LINK_ATTRIBUTES)
    of_each = [held.readings() for held in said.of_each]
    places = {
        id(reading): (number, place)
        for number, readings in enumerate(of_each[:number_of])
        for place, reading in enumerate(readings)
    }
    of_place = dict(zip(_PLACES, map(tuple, of_each[number_of:]), strict=True))
    by_attribute = dict(zip(LINK_ATTRIBUTES, map(by_part, of_each), strict=False))
    found = []
    for link in _of_node(node, by_attribute, Readings((), of_place)):
        where = node, link.part
        first = next(number for number, name in enumerate(LINK_ATTRIBUTES) if where in by_attribute[name])
        widths = by_attribute["pcie-width"].get(where, [])
        several = [places[id(reading)][1] for reading in widths] if len(widths) > 1 else ()
        found.append(_Model(link, first, places[id(link.seen)], several))
    return found


def _of_node(node: str, by_attribute: _ByAttribute, known: Readings) -> Iterator[PcieLink]:
    tree = pci_trees(known).get(node)
    names = {where: str(r.value) for where, r in latest(of_attribute(known, "pci-device")).items()}
    addresses = _addresses(known)
    for where in dict.fromkeys(where for name in LINK_ATTRIBUTES for where in by_attribute[name]):
        address = addresses.get(where, where[1].name)
        port = _port_above(tree, address, node)
        widths = by_attribute["pcie-width"].get(where, [])
        yield PcieLink(
            node=node,
            part=where[1],
            name=names.get((node, Part("pci", address)), ""),
            width=_most(widths),
            width_max=_most(by_attribute["pcie-width-max"].get(where, [])),
            speed=_highest(by_attribute["pcie-speed"].get(where, [])),
            speed_max=_highest(by_attribute["pcie-speed-max"].get(where, [])),
            port_width_max=_most(by_attribute["pcie-width-max"].get(port, [])),
            port_speed_max=_highest(by_attribute["pcie-speed-max"].get(port, [])),
            marked_narrow=_all_marked(by_attribute["pcie-width-reduced"].get(where, [])),
            marked_slow=_all_marked(by_attribute["pcie-speed-reduced"].get(where, [])),
            off=_all_marked(by_attribute["pcie-link-off"].get(where, [])),
            samples=len(widths),
            seen=_stands_for(where, by_attribute),
        )


def _addresses(known: Readings) -> Mapping[PartOfNode, str]:
    """PCI addresses of GPUs and HCAs that have another name."""
    ids = (latest(of_attribute(known, name)) for name in ("gpu-bus-id", "hca-bus-id"))
    return {where: str(r.value) for each in ids for where, r in each.items()}


def _port_above(tree: PciTree | None, address: str, node: str) -> PartOfNode:
    above = tree.above(address) if tree is not None else []
    return node, Part("pci", above[0].address if above else "")


def _stands_for(where: PartOfNode, by_attribute: _ByAttribute) -> Reading:
    readings = next(by_attribute[name][where] for name in LINK_ATTRIBUTES if where in by_attribute[name])
    if len(readings) == 1:
        return readings[0]
    best = max(_numbers(readings), default=None)
    return next((r for r in reversed(readings) if r.value == best), readings[-1])


def _numbers(series: Iterable[Reading]) -> list[Value]:
    return [r.value for r in series if isinstance(r.value, int | float) and not isinstance(r.value, bool)]


def _most(series: Sequence[Reading]) -> int | None:
    if len(series) == 1 and type(series[0].value) is int:  # nearly all
        return series[0].value
    return max((int(value) for value in _numbers(series)), default=None)


def _highest(series: Sequence[Reading]) -> float | None:
    if len(series) == 1 and type(series[0].value) is float:
        return series[0].value
    return max((float(value) for value in _numbers(series)), default=None)


def _all_marked(series: list[Reading]) -> bool:
    return bool(series) and all(reading.value is True for reading in series)

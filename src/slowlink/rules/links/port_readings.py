"""HCA ports of all nodes with everything that was read of each: what rules about ports begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.facts.readings import each_attribute, latest
from slowlink.facts.stretches import Same
from slowlink.model.facts import Of, Readings
from slowlink.model.state import Reading
from slowlink.patterns import regex

PORT_ATTRIBUTES = (
    "port-state",
    "port-physical-state",
    "port-link-layer",
    "port-rate",
    "port-netdev",
    "port-lid",
    "port-sm-lid",
    "port-mtu",
    "interface-state",
    "interface-admin-up",
    "interface-kind",
    "hca-model",
    "hca-system-guid",
    "hca-bus-id",
    "hca-board-id",
)
PortReadings = Annotated[Readings, Of(*PORT_ATTRIBUTES)]
"""The parameter type of rules about ports."""

_FUNCTION = regex(r"(.{2,40}?)f\d{1,2}(?:np\d{1,2}|d\d{1,2}|s\d{1,2})?")
"""``rocep1s0f0`` and ``ens1f0np0``: function 0 of a card."""


class Port(Struct, frozen=True):
    """One port of one node."""

    node: str
    name: str
    """``mlx5_0/1``: HCA and number; of an IPoIB interface that stands for its port, ``ib0``."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """By attribute; those of its HCA and its interface too."""

    @property
    def hca(self) -> str:
        """``mlx5_0``."""
        return self.name.partition("/")[0]

    def text(self, attribute: str) -> str:
        """The value as text; "" when it was not read."""
        found = self.readings.get(attribute)
        return str(found.value) if found is not None else ""

    @property
    def state(self) -> str:
        """``Active Init Armed Down``; that of its interface where no tool shows it; "" when unknown.

        An interface that nobody switched on is down whatever its port does.
        """
        shown = self.text("port-state")
        interface = self.text("interface-state")
        if shown or not interface:
            return shown
        if interface != "up" and self.text("interface-admin-up") == "False":
            return ""
        return "Active" if interface == "up" else "Down"

    @property
    def by_interface(self) -> bool:
        """Is the state only that of its network interface?"""
        return "port-state" not in self.readings

    @property
    def layer(self) -> str:
        """``InfiniBand``, ``Ethernet``; "" when unknown."""
        return self.text("port-link-layer")

    @property
    def rate(self) -> float | None:
        """Gb/s; None when unknown."""
        found = self.readings.get("port-rate")
        return float(found.value) if found is not None and isinstance(found.value, int | float) else None

    @property
    def evidence(self) -> Reading | None:
        """The reading that shows its state best."""
        for name in ("port-physical-state", "port-state", "interface-state", "port-rate"):
            if name in self.readings:
                return self.readings[name]
        return None

    @property
    def card(self) -> str:
        """What ports of one card share: its GUID, its PCI device, or the card in its name; else the HCA's name."""
        guid, bus = self.text("hca-system-guid"), self.text("hca-bus-id")
        if guid or bus:
            return guid or bus.rpartition(".")[0]
        for name in (self.hca, self.text("port-netdev")):
            match = _FUNCTION.fullmatch(name)
            if match is not None:
                return match[1]
        return self.hca


def ports_of(readings: Readings) -> list[Port]:
    """Every port of every node, in order of appearance; an IPoIB interface stands for its port where that is unread."""
    return list(_ports_of(tuple((name, Same(found)) for name, found in each_attribute(readings).items())))


@lru_cache(maxsize=1)
def _ports_of(read: tuple[tuple[str, Same[Reading]], ...]) -> Sequence[Port]:
    """One rule after another asks for the ports of the same nodes."""
    of_part: dict[tuple[str, str], dict[str, Reading]] = {}
    ports: dict[tuple[str, str], None] = {}
    for name, same in read:
        for (node, part), reading in latest(same.records).items():
            of_part.setdefault((node, part.name), {})[name] = reading
            if part.kind == "port":
                ports[node, part.name] = None
    if not ports:
        kinds = (same.records for name, same in read if name == "interface-kind")
        every = chain.from_iterable(kinds)
        ports.update({(r.host or "", r.part.name): None for r in every if r.value == "infiniband"})
    return [Port(node, name, _all_of(node, name, of_part)) for node, name in ports]


def _all_of(node: str, name: str, of_part: Mapping[tuple[str, str], Mapping[str, Reading]]) -> dict[str, Reading]:
    """Attribute -> reading of a port, of its HCA and of its interface; the port's own win."""
    mine = of_part.get((node, name), {})
    hca = of_part.get((node, name.partition("/")[0]), {})
    netdev = mine.get("port-netdev")
    interface = of_part.get((node, str(netdev.value)), {}) if netdev is not None else {}
    return {**interface, **hca, **mine}


def with_kinds_of_peers(ports: Sequence[Port]) -> list[Port]:
    """The ports; one of which neither model nor link layer was read has those of the port of its name on other nodes,
    where these agree: nodes of one cluster are built alike, and grep may have kept the rates alone."""
    kinds: dict[str, set[tuple[str, str]]] = {}
    source: dict[str, Port] = {}
    for port in ports:
        if _tells_its_kind(port):
            kinds.setdefault(port.name, set()).add((port.text("hca-model"), port.layer))
            source.setdefault(port.name, port)
    return [
        replace(port, readings={**_kind_of(source[port.name]), **port.readings})
        if not _tells_its_kind(port) and len(kinds.get(port.name, ())) == 1
        else port
        for port in ports
    ]


def _tells_its_kind(port: Port) -> bool:
    return bool(port.text("hca-model") or port.layer)


def _kind_of(port: Port) -> dict[str, Reading]:
    return {name: port.readings[name] for name in ("hca-model", "port-link-layer") if name in port.readings}


def nodes_with_ports(ports: Iterable[Port]) -> dict[str, list[Port]]:
    """Node -> its ports."""
    found: dict[str, list[Port]] = {}
    for port in ports:
        found.setdefault(port.node, []).append(port)
    return found


def evidence_of(ports: Iterable[Port]) -> list[Reading]:
    """The readings that show their states best."""
    return [reading for port in ports if (reading := port.evidence) is not None]


def names_of(ports: Sequence[Port]) -> tuple[str, ...]:
    """Distinct names; the first port of an HCA goes by the HCA's name."""
    return tuple(dict.fromkeys(port.name.removesuffix("/1") for port in ports))

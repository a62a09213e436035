"""Which bridges stand above which GPUs and HCAs, from the buses that each bridge leads to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.facts.stretches import said_by_node
from slowlink.model.facts import Readings
from slowlink.model.state import Reading

LEAVES = ("gpu", "hca")
"""Devices whose peer-to-peer traffic matters to collectives."""


class Bridge(Struct, frozen=True):
    """A bridge and the buses behind it, both ends included."""

    address: str
    domain: str
    first: int
    last: int

    def leads_to(self, address: str) -> bool:
        """Does the device at ``0000:10:1c.0`` lie behind this bridge?"""
        domain, bus = _place(address)
        return domain == self.domain and self.first <= bus <= self.last


class PciTree(Struct, frozen=True):
    """The PCI devices of one node, as far as they were listed."""

    node: str
    roles: dict[str, str]
    """Address -> ``gpu hca nic nvswitch bridge``."""
    bridges: Mapping[str, tuple[Bridge, ...]]
    """Domain -> its bridges, one for each bus right behind one; of 256 buses no listing makes more."""
    listed: frozenset[str]
    """Addresses of all bridges whose buses were listed."""
    carrying: Mapping[str, list[str]]
    """Address of each bridge that has GPUs or HCAs behind it -> what is there."""
    only_bridges: bool
    """Nothing else was listed."""

    def above(self, address: str) -> list[Bridge]:
        """Bridges between a device and the root complex, the nearest first."""
        found = [bridge for bridge in self.bridges.get(_place(address)[0], ()) if bridge.leads_to(address)]
        return sorted(found, key=lambda bridge: (bridge.last - bridge.first, -bridge.first))

    def is_root_port(self, address: str) -> bool:
        """Has this bridge no other bridge above it?"""
        return not self.above(address)


def pci_trees(readings: Readings) -> dict[str, PciTree]:
    """Node -> its tree, from readings of ``pci-role`` and ``pci-buses``: found once for nodes that say the same."""
    of_kind: dict[Hashable, PciTree | None] = {}
    found: dict[str, PciTree] = {}
    for node, said in said_by_node([by_attribute(readings, name) for name in ("pci-role", "pci-buses")]).items():
        if said.kind not in of_kind:
            of_kind[said.kind] = _tree(node, *(latest_of(held.readings()) for held in said.of_each))
        if (tree := of_kind[said.kind]) is not None:
            found[node] = tree if tree.node == node else replace(tree, node=node)
    return found


def _tree(node: str, with_roles: Iterable[Reading], with_buses: Iterable[Reading]) -> PciTree | None:
    roles = {reading.part.name: str(reading.value) for reading in with_roles}
    listed = [bridge for r in with_buses if (bridge := _bridge(r.part.name, str(r.value))) is not None]
    if not roles and not listed:
        return None
    by_bus: dict[str, dict[int, Bridge]] = {}
    for bridge in listed:
        by_bus.setdefault(bridge.domain, {}).setdefault(bridge.first, bridge)
    bridges = {domain: tuple(of_bus.values()) for domain, of_bus in by_bus.items()}
    carrying: dict[str, list[str]] = {bridge.address: [] for of_domain in bridges.values() for bridge in of_domain}
    for address, role in roles.items():
        for bridge in bridges.get(_place(address)[0], ()) if role in LEAVES else ():
            if bridge.leads_to(address):
                carrying[bridge.address].append(address)
    carrying = {address: behind for address, behind in carrying.items() if behind}
    addresses = frozenset(bridge.address for bridge in listed)
    return PciTree(node, roles, bridges, addresses, carrying, set(roles.values()) == {"bridge"})


def _bridge(address: str, buses: str) -> Bridge | None:
    first, _, last = buses.partition("-")
    try:
        return Bridge(address, _place(address)[0], int(first, 16), int(last or first, 16))
    except ValueError:
        return None


@lru_cache(maxsize=1 << 14)  # nodes of one model have their devices at the same addresses
def _place(address: str) -> tuple[str, int]:
    """(domain, bus) of ``0000:10:1c.0``; a bus that nothing has for what is no address."""
    parts = address.split(":")
    if len(parts) != 3:
        return "", -1
    try:
        return parts[0], int(parts[1], 16)
    except ValueError:
        return "", -1

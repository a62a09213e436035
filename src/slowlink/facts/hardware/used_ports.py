"""How many ports of HCAs the channels between nodes really use, of those that NCCL lists."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from slowlink.model.edges import Edges
from slowlink.model.facts import Network, Transports
from slowlink.model.source import Ref


class UsedPorts(Struct, frozen=True):
    """The ports that carry data in one direction."""

    count: int
    """Of the node that uses most."""
    ref: Ref
    """The first channel over one of them."""


def used_ports(network: Network, transports: Transports) -> UsedPorts | None:
    """None where channels name no listed device, or may be a part of all that there are.

    A ring that enters a node leaves it again: where lines are missing, sends and receptions differ in number. NCCL
    doubles the channels that it finds, so one alone is a part, too.
    """
    ports = _ports_of_devices(network)
    received, sent = _of_side(transports.inter, "receive"), _of_side(transports.inter, "send")
    if received.channels != sent.channels or received.channels < 2 * len(received.processes):
        return None
    into, out = _most_of_a_node(received, ports), _most_of_a_node(sent, ports)
    return UsedPorts(max(into, out), received[0].ref) if into and out else None


def _of_side(edges: Edges, side: str) -> Edges:
    return edges.of(lambda kind: kind.side == side)


def _ports_of_devices(network: Network) -> Mapping[tuple[str | None, int], frozenset[str]]:
    """Node and NCCL's number of a device -> the HCAs whose ports it is made of. NCCL may list one under two numbers.
    Empty where an HCA has two ports: then names do not tell them apart."""
    listed = [device for device in network.devices if device.transport != "Socket"]
    if any((device.port or 1) > 1 or len(set(device.members)) < len(device.members) for device in listed):
        return {}
    return {(each.process.host, each.index): frozenset(each.members or (each.name,)) for each in listed}


def _most_of_a_node(edges: Edges, ports: Mapping[tuple[str | None, int], frozenset[str]]) -> int | None:
    """Distinct ports of the node that uses most; None without channels, and where one uses a device that is not
    listed."""
    used: dict[str | None, set[str]] = {}
    for edge in edges.first_of_each():
        names = ports.get((edge.process.host, -1 if edge.net_device is None else edge.net_device))
        if names is None:
            return None
        used.setdefault(edge.process.host, set()).update(names)
    return max(map(len, used.values()), default=None)

"""Ports of one fabric use different MTUs.

The MTU in use of each Active port is compared with the same port of other nodes, then with its siblings on the node,
always of one link layer. For RoCE it follows the MTU of the network interface (1500 gives 1024, 4200 and more give
4096), so interfaces that differ above 4200 are a warning: RDMA is not slower, but TCP may lose large packets.

Why it matters: a connection takes the smaller of both ends: more packets, and some per cent of the bandwidth. Where
a switch has the smaller one, large packets are dropped.
How to confirm: ``ibv_devinfo | grep active_mtu`` and ``ip link`` on both nodes; ``ping -M do -s 8972`` between their
interfaces.
What to do: give interfaces and switch ports the same MTU; on InfiniBand set it in the subnet manager's partition.
When it is wrong: for ports of different fabrics (storage, management), which may differ on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.port_readings import Port, PortReadings, nodes_with_ports, ports_of

CAUSES = ("mtu-mismatch",)

InterfaceMtus = Annotated[Readings, Of("interface-mtu")]
_MTU, _INTERFACE_MTU = "port-mtu", "interface-mtu"


class OddMtu(NamedTuple):
    """A port whose MTU differs from what most of those that it is compared with use."""

    port: Port
    reading: Reading
    """Of the port, or of its interface."""
    usual: int
    """What most use, bytes; of two the larger."""


class Compared(NamedTuple):
    """What ports were compared with, and what a difference there means."""

    parts: str
    """Stands before the names."""
    others: str
    severity: Severity
    confidence: Confidence
    costs: bool
    """Does it lower the bandwidth of collectives between nodes?"""


_NODES = Compared("", "while most other nodes have", "error", "likely", costs=True)
_SIBLINGS = Compared("", "while its siblings on the node have", "warning", "possible", costs=False)
_INTERFACES = Compared("interface ", "while most other nodes have", "warning", "possible", costs=False)


def check(ports: PortReadings, interfaces: InterfaceMtus | None) -> Iterator[Finding | Proof]:
    """Against other nodes, then within each node what is not said yet, then the interfaces of ports that are alike."""
    read = Readings((*ports.all, *(interfaces.all if interfaces is not None else ())))
    active = [port for port in ports_of(read) if port.state == "Active"]
    found = [port for port in active if _MTU in port.readings]
    odd = list(_against_nodes(found, _MTU))
    inside = [each for each in _within_nodes(found) if not _is_told(each.port, odd)]
    outside = list(_against_nodes([port for port in active if _INTERFACE_MTU in port.readings], _INTERFACE_MTU))
    outside = [each for each in outside if not _is_told(each.port, [*odd, *inside])]
    for compared, group in ((_NODES, odd), (_SIBLINGS, inside), (_INTERFACES, outside)):
        for usual in dict.fromkeys(each.usual for each in group):
            yield _finding([each for each in group if each.usual == usual], compared)
    if len(found) > 1 and not odd and not inside:
        values = listed(sorted({port.text(_MTU) for port in found}))
        yield Proof(f"{len(found)} ports use MTU {values}", weight=0)


def _is_told(port: Port, odd: Iterable[OddMtu]) -> bool:
    return any(port is each.port for each in odd)


def _against_nodes(ports: Sequence[Port], attribute: str) -> Iterator[OddMtu]:
    for name in dict.fromkeys(port.name for port in ports):
        for same in _by_layer([port for port in ports if port.name == name]):
            if all(name_of_node(port.readings[attribute]) for port in same):
                yield from _odd(same, attribute)


def _within_nodes(ports: Sequence[Port]) -> Iterator[OddMtu]:
    for mine in nodes_with_ports(ports).values():
        for layer in dict.fromkeys(port.layer for port in mine):
            yield from _odd([port for port in mine if port.layer == layer], _MTU)


def _by_layer(ports: Sequence[Port]) -> list[list[Port]]:
    """One group for each link layer. Where only one is known, ports without one are of it."""
    layers = sorted({port.layer for port in ports if port.layer})
    if len(layers) < 2:
        return [list(ports)]
    return [[port for port in ports if port.layer == layer] for layer in layers]


def _odd(ports: Sequence[Port], attribute: str) -> list[OddMtu]:
    """Those that differ from most; of two the smaller one."""
    counts = Counter(int(port.text(attribute)) for port in ports)
    if len(counts) < 2:
        return []
    usual = max(counts.items(), key=lambda entry: (entry[1], entry[0]))[0]
    return [OddMtu(port, port.readings[attribute], usual) for port in ports if int(port.text(attribute)) != usual]


def _finding(odd: Sequence[OddMtu], compared: Compared) -> Finding:
    readings = [each.reading for each in odd]
    names = list(dict.fromkeys(reading.part.name.removesuffix("/1") for reading in readings))
    values = listed(sorted({str(reading.value) for reading in readings}))
    return finding(
        "mtu-mismatch",
        f"{on_nodes(readings)}{compared.parts}{listed(names)} {'uses' if len(names) == 1 else 'use'} MTU {values} "
        f"{compared.others} {odd[0].usual}",
        severity=compared.severity,
        confidence=compared.confidence,
        evidence=reading_evidence(readings, expected=str(odd[0].usual)),
        suspects=(*part_suspects(readings[0].part.kind, readings), *node_suspects(readings)),
        explains=("busbw-below-expected",) if compared.costs else (),
        remedy=[("Compare both ends.", "ibv_devinfo | grep -E 'hca_id|active_mtu'; ip link | grep mtu")],
        references=[IBV_MODIFY_QP],
    )

"""Ports of one fabric use different MTUs.

The MTU in use of each Active port is compared with the same port of other nodes, then with its siblings on the node,
always of one link layer. For RoCE it follows from the MTU of the network interface: it is the largest of 256, 512,
1024, 2048 and 4096 that fits with 96 bytes of headers (1500 gives 1024; 4192 and more give 4096). So it is worked out
where only the interface's MTU was read. Interfaces that differ while their ports do not are a note: RDMA is not slower.
Where no port was read at all, interfaces that would give RDMA another MTU than those of most nodes are possible only:
nothing tells what they carry. Sources that name no node may be one node's at two times: their difference is a warning,
and keeps sound ports from being health. The state of a port need not be known: who asks for the MTU alone asks for one
in use. IPoIB is compared apart: its MTU is not what RDMA uses, but TCP does, and what opens connections.

Why it matters: a connection takes the smaller of both ends: more packets, and some per cent of the bandwidth. Where
a switch has the smaller one, large packets are dropped.
How to confirm: ``ibv_devinfo | grep active_mtu`` and ``ip link`` on both nodes; ``ping -M do -s 8972`` between their
interfaces.
What to do: give interfaces and switch ports the same MTU; on InfiniBand set it in the subnet manager's partition.
When it is wrong: for ports of different fabrics (storage, management), which may differ on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.interface_mtus import beside_ports, of_ipoib
from slowlink.rules.links.port_readings import PORT_ATTRIBUTES, Port, nodes_with_ports, ports_of
from slowlink.rules.links.roce_mtu import roce_mtu

CAUSES = ("mtu-mismatch",)

MtuReadings = Annotated[Readings, Of("port-mtu", "interface-mtu", *PORT_ATTRIBUTES)]
_MTU, _INTERFACE_MTU = "port-mtu", "interface-mtu"


class Used(NamedTuple):
    """The MTU of a port, or of its interface."""

    port: Port
    mtu: int
    """Bytes."""
    reading: Reading
    """Where it was read, or what it follows from."""

    @property
    def derived(self) -> bool:
        """Does a port's MTU follow from that of its interface?"""
        return str(self.mtu) != str(self.reading.value)


class OddMtu(NamedTuple):
    """A port whose MTU differs from what most of those that it is compared with use."""

    used: Used
    usual: int
    """The most frequent MTU, bytes; of equally frequent ones the largest."""


class Compared(NamedTuple):
    """What ports were compared with, and what a difference there means."""

    parts: str
    """Stands before the names."""
    others: str
    """Stands before what those have."""
    severity: Severity
    confidence: Confidence
    costs: bool
    """Does it lower the bandwidth of collectives between nodes?"""


_NODES = Compared("", "while most other nodes have", "error", "likely", costs=True)
_SOURCES = Compared("", "in one source while most others have", "warning", "likely", costs=True)
_SIBLINGS = Compared("", "while {whose} siblings on the node have", "warning", "possible", costs=False)
_INTERFACES = Compared("interface ", "while most other nodes have", "info", "possible", costs=False)
_ALONE = Compared("interface ", "while most other nodes have", "warning", "possible", costs=True)
_IPOIB = Compared("IPoIB interface ", "while most other nodes have", "warning", "possible", costs=True)
_IPOIB_SIBLINGS = Compared(
    "IPoIB interface ", "while {whose} siblings on the node have", "warning", "possible", costs=False
)


def check(read: MtuReadings) -> Iterator[Finding | Proof]:
    """Against other nodes, then within each node what was not reported yet, then the interfaces of what is left."""
    ports = ports_of(read)
    in_use = [port for port in ports if port.state == "Active" or _is_stateless(port)]
    found = [used for port in in_use if (used := _of_port(port)) is not None]
    odd = list(_against_nodes(found))
    unnamed = list(_against_nodes(found, named=False))
    reported = {id(each.used.port) for each in odd}
    inside = [
        each
        for each in _within_nodes([used for used in found if used.port.state == "Active"])
        if id(each.used.port) not in reported
    ]
    reported |= {id(each.used.port) for each in inside}
    alike = [port for port in in_use if id(port) not in reported]
    outside = list(_against_nodes([used for port in alike if (used := _of_interface(port)) is not None]))
    beside = _beside(read, ports)
    with_ports = {used.port.node for used in found}
    alone = [each for each in beside if each.used.port.node not in with_ports]
    interfaces: dict[tuple[str, int | None], list[OddMtu]] = {}
    for each in beside:
        interfaces.setdefault((each.used.port.node, roce_mtu(each.used.mtu)), []).append(each)
    ipoib, ipoib_inside = _ipoib(read)
    told = {each.used.reading for each in (*ipoib, *ipoib_inside)}
    outside = [each for each in outside if each.used.reading not in told]
    for compared, group in (
        (_NODES, odd),
        (_SOURCES, unnamed),
        (_SIBLINGS, inside),
        (_INTERFACES, outside),
        (_ALONE, alone),
        (_IPOIB, ipoib),
        (_IPOIB_SIBLINGS, ipoib_inside),
    ):
        together: dict[tuple[int, bool], list[Used]] = {}
        for each in group:
            together.setdefault((each.usual, each.used.derived), []).append(each.used)
        for (usual, _), same in together.items():
            yield _finding(same, usual, compared, _below(same, interfaces) if compared is _NODES else [])
    shown = [used for used in found if not used.derived and used.port.state == "Active"]
    if len(shown) > 1 and not (odd or unnamed or inside):
        values = listed(sorted({str(used.mtu) for used in shown}))
        yield Proof(f"{len(shown)} ports use MTU {values}", weight=0)


def _is_stateless(port: Port) -> bool:
    """Was no state of it read? Somebody asked for the MTU alone, and of a port that is in use."""
    return not any(name in port.readings for name in ("port-state", "port-physical-state", "interface-state"))


def _beside(read: Readings, ports: Sequence[Port]) -> list[OddMtu]:
    """Interfaces that no port is known to use, and over which RDMA would have another MTU than on most nodes."""
    found = [
        Used(Port(each.node, each.name), int(str(each.reading.value)), each.reading)
        for each in beside_ports(read, ports)
    ]
    return [odd for odd in _against_nodes(found) if roce_mtu(odd.used.mtu) != roce_mtu(odd.usual)]


def _ipoib(read: Readings) -> tuple[list[OddMtu], list[OddMtu]]:
    """Interfaces of IPoIB that differ from that of the same name on other nodes, and of the rest those that differ from
    their siblings."""
    found = [
        Used(Port(each.node, each.name), int(str(each.reading.value)), each.reading)
        for each in of_ipoib(read)
        if isinstance(each.reading.value, int)
    ]
    odd = list(_against_nodes(found)) + list(_against_nodes(found, named=False))
    told = {id(each.used) for each in odd}
    rest = [used for used in found if id(used) not in told]
    of_node: dict[str, list[Used]] = {}
    for used in rest:
        of_node.setdefault(used.port.node, []).append(used)
    return odd, [each for mine in of_node.values() for each in _odd(mine)]


def _below(odd: Sequence[Used], interfaces: Mapping[tuple[str, int | None], Sequence[OddMtu]]) -> list[OddMtu]:
    """Of interfaces that differ on the same nodes, by node and what they give a port, those that give these ports'."""
    there = dict.fromkeys((used.port.node, used.mtu) for used in odd)
    return [each for place in there for each in interfaces.get(place, ())]


def _of_port(port: Port) -> Used | None:
    """The MTU that a tool printed; for RoCE without one, what the MTU of the interface gives."""
    read = port.readings.get(_MTU)
    if read is not None:
        return Used(port, int(str(read.value)), read)
    interface = _of_interface(port)
    mtu = roce_mtu(interface.mtu) if interface is not None and _is_roce(port) else None
    return Used(port, mtu, interface.reading) if interface is not None and mtu is not None else None


def _of_interface(port: Port) -> Used | None:
    read = port.readings.get(_INTERFACE_MTU)
    return Used(port, int(str(read.value)), read) if read is not None else None


def _is_roce(port: Port) -> bool:
    """Not where the interface may be IPoIB, whose MTU is not what RDMA uses."""
    ipoib = port.text("port-netdev").startswith("ib") or port.text("interface-kind") == "infiniband"
    return port.layer == "Ethernet" or (not port.layer and "port-netdev" in port.readings and not ipoib)


def _against_nodes(found: Sequence[Used], *, named: bool = True) -> Iterator[OddMtu]:
    """``named``: False where some of them have no name but that of their source, which may be an earlier look."""
    named_alike: dict[str, list[Used]] = {}
    for used in found:
        named_alike.setdefault(used.port.name, []).append(used)
    for alike in named_alike.values():
        for same in _by_layer(alike):
            if all(name_of_node(used.reading) for used in same) is named:
                yield from _odd(same)


def _within_nodes(found: Sequence[Used]) -> Iterator[OddMtu]:
    of_port = {id(used.port): used for used in found}
    for mine in nodes_with_ports(used.port for used in found).values():
        for layer in dict.fromkeys(port.layer for port in mine):
            yield from _odd([of_port[id(port)] for port in mine if port.layer == layer])


def _by_layer(found: Sequence[Used]) -> list[list[Used]]:
    """One group for each link layer. Where only one is known, ports without one are of it."""
    layers = sorted({used.port.layer for used in found if used.port.layer})
    if len(layers) < 2:
        return [list(found)]
    return [[used for used in found if used.port.layer == layer] for layer in layers]


def _odd(found: Sequence[Used]) -> list[OddMtu]:
    """Ports whose MTU is not the most frequent; of equally frequent values the largest counts as usual."""
    counts = Counter(used.mtu for used in found)
    if len(counts) < 2:
        return []
    usual = max(counts.items(), key=lambda entry: (entry[1], entry[0]))[0]
    return [OddMtu(used, usual) for used in found if used.mtu != usual]


def _finding(odd: Sequence[Used], usual: int, compared: Compared, below: Sequence[OddMtu] = ()) -> Finding:
    """``odd`` are all read, or all derived; ``below`` are interfaces that explain them."""
    readings = [used.reading for used in odd]
    derived = odd[0].derived
    parts = [used.port.name if derived else used.reading.part.name for used in odd]
    names = list(dict.fromkeys(part.removesuffix("/1") for part in parts))
    one = len(names) == 1
    values = listed(sorted({str(used.mtu) for used in odd}))
    source = f" ({'its interface has' if one else 'their interfaces have'} {_values(readings)})" if derived else ""
    return finding(
        "mtu-mismatch",
        f"{on_nodes(readings)}{compared.parts}{listed(names)} {'uses' if one else 'use'} MTU {values}{source} "
        f"{compared.others.format(whose='its' if one else 'their')} {usual}{_why(below)}",
        severity=compared.severity,
        confidence=compared.confidence,
        evidence=(
            *reading_evidence(readings, expected=f"{usual} for RoCE" if derived else str(usual)),
            *(line for each in below[:2] for line in reading_evidence([each.used.reading], expected=str(each.usual))),
        ),
        suspects=(*part_suspects(readings[0].part.kind, readings), *node_suspects(readings)),
        # Queue pairs cannot be connected at the MTU of one end either; the GID index is the first guess there.
        explains=("busbw-below-expected", "gid-index-wrong") if compared.costs else (),
        remedy=[("Compare both ends.", "ibv_devinfo | grep -E 'hca_id|active_mtu'; ip link | grep mtu")],
        references=[IBV_MODIFY_QP],
    )


def _why(below: Sequence[OddMtu]) -> str:
    """What their interfaces have, where those differ in the same way."""
    if not below:
        return ""
    names = listed(list(dict.fromkeys(each.used.port.name for each in below)))
    mine = _values(each.used.reading for each in below)
    usual = listed(sorted({str(each.usual) for each in below}))
    return f"; {names} there has {mine}, and {usual} on the others"


def _values(readings: Iterable[Reading]) -> str:
    return listed(sorted({str(reading.value) for reading in readings}))

"""MTUs of network interfaces that no port is known to use, and of IPoIB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from slowlink.facts.readings import by_attribute, latest, name_of_node
from slowlink.model.facts import Readings
from slowlink.model.state import Part, Reading
from slowlink.patterns import regex
from slowlink.rules.links.port_readings import Port

_OF_A_CARD = regex(r"(?:en[opsx]\w|eth\d|bond\d|rdma\d|roce\w|hsn\d|p\d{1,3}p\d)[\w.@-]{0,30}")
"""Not those of containers, bridges and tunnels, nor IPoIB, whose MTU is not what RDMA uses."""


_IPOIB = regex(r"ib\d{1,3}|ib[ps]\w{1,20}|ibo\d{1,3}\w{0,8}")
"""Names that the kernel and systemd give to such interfaces; those of a partition (``ib0.8001``) are set apart."""


class InterfaceMtu(NamedTuple):
    """The MTU of an interface."""

    node: str
    name: str
    reading: Reading


def beside_ports(read: Readings, ports: Iterable[Port]) -> list[InterfaceMtu]:
    """Of each interface of a card that is up, or of which no state was read; those of ports are left out."""
    states, kinds = (_told(read, name) for name in ("interface-state", "interface-kind"))
    of_ports = {(port.node, port.text("port-netdev")) for port in ports}
    return [
        InterfaceMtu(node, part.name, reading)
        for (node, part), reading in latest(by_attribute(read, "interface-mtu")).items()
        if _OF_A_CARD.fullmatch(part.name)
        and (node, part.name) not in of_ports
        and name_of_node(reading) is not None
        and states.get((node, part), "up") == "up"
        and kinds.get((node, part)) != "infiniband"
    ]


def of_ipoib(read: Readings) -> list[InterfaceMtu]:
    """Of each interface of IPoIB that is up, or of which no state was read."""
    states, kinds = (_told(read, name) for name in ("interface-state", "interface-kind"))
    return [
        InterfaceMtu(node, part.name, reading)
        for (node, part), reading in latest(by_attribute(read, "interface-mtu")).items()
        if "." not in part.name
        and (kinds.get((node, part)) == "infiniband" or (_IPOIB.fullmatch(part.name) and (node, part) not in kinds))
        and states.get((node, part), "up") == "up"
    ]


def _told(read: Readings, attribute: str) -> dict[tuple[str, Part], str]:
    return {where: str(reading.value) for where, reading in latest(by_attribute(read, attribute)).items()}

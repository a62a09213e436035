"""Lists of nodes: ibhosts, ibswitches, ibnodes, ibrouters, and ``ibnetdiscover -l``, ``-H``, ``-S``.

The programs are part of rdma-core (infiniband-diags: scripts/ibhosts.in, scripts/ibswitches.in, list_node of
ibnetdiscover.c)::

    Ca      : 0x0c42a10300aa0100 ports 1 "gpu01 mlx5_0"
    Ca       : 0x0c42a10300aa0200 ports 1 devid 0x1021 vendid 0x2c9 "gpu02 mlx5_0"
    Switch  : 0x0c42a10300aa1000 ports 65 "MF0;leafa:MQM9700/U1" enhanced port 0 lid 7 lmc 0

ibnetdiscover adds the device's number. Only switches have a LID here. The aggregation nodes of switches (SHARP) are
listed as adapters; their description shows what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TYPES = {"Switch": "switch", "Ca": "ca", "Router": "router", "Rt": "router"}
_NODE = regex(
    r"(?P<type>Switch|Ca|Router|Rt)\s{1,8}: (?P<guid>0x[0-9a-f]{1,16}) ports (?P<ports>\d{1,5})"
    r'(?: devid (?P<device>0x[0-9a-f]{1,8}) vendid 0x[0-9a-f]{1,8})? "(?P<name>[^"]{0,200})"'
    r"(?: (?:base|enhanced) port \d lid (?P<lid>\d{1,6}) lmc \d{1,2})?"
)


class NodeLists:
    """Each line is one node: its type, GUID, number of ports, and a switch's LID."""

    kind: ClassVar[str] = "ibhosts"
    literals: ClassVar[Literals] = Literals((": 0x",))

    def __init__(self) -> None:
        self._found = Gathered()

    @staticmethod
    def wants(text: str) -> bool:
        return ": 0x" in text[:24] and _NODE.fullmatch(text.strip()) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _NODE.fullmatch(line.text.strip())
        if found is None:
            return Use.NOT_MINE
        part, add = names.node(names.node_name(found["name"], found["guid"])), self._found.add
        kind = "aggregation" if "Aggregation Node" in found["name"] else _TYPES[found["type"]]
        add("fabric-node-type", part, kind, line)
        add("fabric-node-guid", part, names.guid(found["guid"]), line)
        add("fabric-node-ports", part, int(found["ports"]), line)
        add("fabric-node-lid", part, int(found["lid"]) if found["lid"] else None, line)
        add("fabric-node-device", part, found["device"], line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = NodeLists

"""Forwarding tables of switches: ``ibroute``, ``dump_lfts``, ``dump_fts``.

The programs are part of rdma-core (infiniband-diags/ibroute.c, dump_unicast_tables; dump_fts.c)::

    Unicast lids [0x0-0x16] of switch Lid 7 guid 0x0c42a10300aa1000 (leafa):
      Lid  Out   Destination
           Port     Info
    0x0007 000 : (Switch portguid 0x0c42a10300aa1000: 'MF0;leafa:MQM9700/U1')
    0x0015 001 : (Channel Adapter portguid 0x0c42a10300aa0100: 'gpu01 mlx5_0')
    2 valid lids dumped

A table says which port leads to which LID. The routes themselves are not read: what is read is whose each LID is, which
other tools' output lacks.
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

_TYPES = {"Channel Adapter": "ca", "Switch": "switch", "Router": "router"}
_TABLE = regex(
    r"(?:Unicast lids|Multicast mlids) \[0x[0-9a-f]{1,8}-0x[0-9a-f]{1,8}\] of switch .{1,200}"
    r"|Lid {1,4}Out {1,8}Destination|Port {1,8}Info|\d{1,6} valid m?lids dumped"
)
_ROUTE = regex(
    r"(?P<lid>0x[0-9a-f]{4}) (?P<port>\d{3}) : \((?P<type>Channel Adapter|Switch|Router)"
    r" portguid (?P<guid>0x[0-9a-f]{1,16}): '(?P<name>.{0,160})'\)"
)


class Routes:
    """The node of each LID, from the first row that names it."""

    kind: ClassVar[str] = "ibroute"
    literals: ClassVar[Literals] = Literals(
        ("\n0x", "nicast lids", "ulticast mlids", "\nLid ", "\nPort ", "lids dumped")
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._named: set[str] = set()

    @staticmethod
    def wants(text: str) -> bool:
        text = text.strip()
        if (
            not text.startswith(("0x", "Unicast lids", "Multicast mlids", "Lid ", "Port "))
            and "lids dumped" not in text
        ):
            return False
        return _ROUTE.fullmatch(text) is not None or _TABLE.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        route = _ROUTE.fullmatch(line.text.strip())
        if route is None:
            return Use.IGNORED if _TABLE.fullmatch(line.text.strip()) is not None else Use.NOT_MINE
        name = names.node_name(route["name"], route["guid"])
        if name not in self._named:
            self._named.add(name)
            self._found.add("fabric-node-type", names.node(name), _TYPES[route["type"]], line)
            self._found.add("fabric-node-lid", names.node(name), int(route["lid"], 16), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = Routes

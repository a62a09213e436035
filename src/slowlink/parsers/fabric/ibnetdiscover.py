"""ibnetdiscover's topology, also as ibdiagnet writes it: each node, and each of its ports that has a peer.

The program is part of rdma-core (infiniband-diags/ibnetdiscover.c); ibdiagnet 2 writes ``ibdiagnet2.ibnetdiscover``::

    vendid=0x2c9
    devid=0xd2f2
    switchguid=0xc42a10300aa1000(c42a10300aa1000)
    Switch  65 "S-0c42a10300aa1000"         # "MF0;leafa:MQM9700/U1" enhanced port 0 lid 7 lmc 0
    [1]     "H-0c42a10300aa0100"[1](c42a10300aa0100)                # "gpu01 mlx5_0" lid 21 4xNDR
    [33]    "S-0c42a10300aa2000"[3]         # "MF0;spine1:MQM9700/U1" lid 9 4xNDR

A port without a peer has no line. A link's line is of the node above it, and is not read where that is cut off. ``-g``
adds external port numbers and lines on chassis. A speed is the name of one lane's: 4xNDR is 400 Gb/s. GUIDs that
somebody made unknown ("H-gpu01guid") are names like others. A row of a node or of a link that is not understood all the
same is told of, since what it says is not known to be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_TYPES = {"Switch": "switch", "Ca": "ca", "Rt": "router"}
_ID_TEXT = r"[^\"\s()\[\]]{1,40}"
"""A GUID; hexadecimal digits, unless somebody changed it."""
_BRACES = r"(?:\([^()\s]{1,40}\)|\[ext \d{1,3}\]){0,2}"
_NODE = regex(
    rf'(?P<type>Switch|Ca|Rt)\s{{1,8}}(?P<ports>\d{{1,5}}) "[SHR]-(?P<guid>{_ID_TEXT})"\s{{1,40}}'
    r'# "(?P<name>[^"]{0,200})"'
    r"(?: (?:base|enhanced) port 0 lid (?P<lid>\d{1,6}) lmc \d{1,2})?.{0,80}"
)
_LINK = regex(
    rf'\[(?P<port>\d{{1,3}})\]{_BRACES}\s{{1,12}}"[SHR]-(?P<guid>{_ID_TEXT})"\[(?P<peer>\d{{1,3}})\] ?{_BRACES}'
    r'\s{1,40}# (?:lid (?P<lid>\d{1,6}) lmc \d{1,2} )?"(?P<name>[^"]{0,200})" lid \d{1,6}'
    r"(?: (?P<width>[\d?]{1,2}[xX])(?P<speed>[\w.?()]{1,12}))?(?: .{0,80})?"
)
_ROW = regex(r'(?:(?P<node>Switch|Ca|Rt)\s{1,8}\d|\[\d{1,3}\]).{0,60}"[SHR]-')
"""How rows of nodes and of links begin, whatever follows."""
_ID = regex(rf"(?P<key>vendid|devid|sysimgguid|switchguid|caguid|rtguid)=(?P<value>0x{_ID_TEXT})(?P<rest>.{{0,80}})")
_HEX = regex(r"(?:0x)?[0-9a-fA-F]{1,16}")
_NOTE = regex(
    r"# (?:Topology file: generated on|Initiated from node|Reported max hops|Total MADs|Spine Nodes|Line Nodes|Chassis)"
    r".{0,120}|Chassis \d{1,4}(?: \(guid.{0,40})?|Non-Chassis Nodes|Hostname: .{1,100}|#$"
)


class IbNetDiscover:
    """Each node with its GUID, ports and LID, and the far end, width and speed of each link."""

    kind: ClassVar[str] = "ibnetdiscover"
    literals: ClassVar[Literals] = Literals(
        (
            *('# "', "# lid ", "guid=", "devid=", "vendid=", "\n# ", "\n#\n", "\nChassis ", "\nNon-Chassis "),
            "\nHostname: ",
            *(f"\n{kind}{blank}" for kind in ("Switch", "Ca", "Rt") for blank in "\t "),
        )
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._owner = ""
        self._device: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        start = text[:12]
        if start.startswith("["):
            return '# "' in text or "# lid " in text
        return (
            ("guid=" in start or "devid=" in start or "vendid=" in start)
            or start.startswith(("Switch\t", "Switch ", "Ca\t", "Ca ", "Rt\t", "Rt "))
            or (start.startswith(("#", "Chassis ", "Non-Chassis ", "Hostname: ")) and _NOTE.fullmatch(text) is not None)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if (link := _LINK.fullmatch(text)) is not None:
            return self._link(link, line)
        if (node := _NODE.fullmatch(text)) is not None:
            return self._node(node, line)
        if (known := _ID.fullmatch(text)) is not None:
            if known["key"] in ("vendid", "devid"):
                self._owner = ""
                self._device = _hex(known["value"]) if known["key"] == "devid" else None
            return Use.USED if known["key"] == "devid" else Use.IGNORED
        if (row := _ROW.match(text)) is not None:
            self._unread(row, line)
        return Use.IGNORED if _NOTE.fullmatch(text) is not None else Use.NOT_MINE

    def _unread(self, row: re.Match[str], line: Line) -> None:
        """A row of the topology that nobody understands; rows below an unknown node's are of nobody."""
        if self._owner or row["node"] is not None:
            self._found.add("fabric-row-unread", names.node(self._owner), True, line)
        if row["node"] is not None:
            self._owner = ""

    def _node(self, node: re.Match[str], line: Line) -> Use:
        self._owner = names.node_name(node["name"], node["guid"])
        part, add = names.node(self._owner), self._found.add
        kind = "aggregation" if "Aggregation Node" in node["name"] else _TYPES[node["type"]]
        add("fabric-node-type", part, kind, line)
        add("fabric-node-guid", part, names.guid(node["guid"]) if _hex(node["guid"]) else None, line)
        add("fabric-node-ports", part, int(node["ports"]), line)
        add("fabric-node-lid", part, int(node["lid"]) if node["lid"] else None, line)
        add("fabric-node-device", part, self._device, line)
        return Use.USED

    def _link(self, link: re.Match[str], line: Line) -> Use:
        if not self._owner:
            return Use.IGNORED  # the node's own line is cut off
        part, add = names.port(self._owner, link["port"]), self._found.add
        peer = names.port(names.node_name(link["name"], link["guid"]), link["peer"])
        add("link-peer", part, peer.name, line)
        add("link-lid", part, int(link["lid"]) if link["lid"] else None, line)
        add("link-width", part, rates.lanes(link["width"] or ""), line)
        add("link-speed", part, rates.lane_speed(link["speed"] or ""), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found.all


def _hex(text: str) -> str | None:
    """A number that is one; None for what somebody put in its place."""
    return text if _HEX.fullmatch(text) is not None else None


PARSER = IbNetDiscover

"""ibnetdiscover's topology, also as ibdiagnet writes it: each node, and each of its ports that has a peer.

Source: rdma-core, infiniband-diags/ibnetdiscover.c; ``.ibnetdiscover`` of ibdiagnet 2. With ``-g`` external port
numbers and chassis lines are added.
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
from slowlink.patterns import regex

_TYPES = {"Switch": "switch", "Ca": "ca", "Rt": "router"}
_BRACES = r"(?:\([^()\s]{1,40}\)|\[ext \d{1,3}\]){0,2}"
_NODE = regex(
    r'(?P<type>Switch|Ca|Rt)\s{1,8}(?P<ports>\d{1,5}) "[SHR]-(?P<guid>[0-9a-f]{1,16})"\s{1,40}# "(?P<name>[^"]{0,200})"'
    r"(?: (?:base|enhanced) port 0 lid (?P<lid>\d{1,6}) lmc \d{1,2})?.{0,80}"
)
_LINK = regex(
    rf'\[(?P<port>\d{{1,3}})\]{_BRACES}\s{{1,12}}"[SHR]-(?P<guid>[0-9a-f]{{1,16}})"\[(?P<peer>\d{{1,3}})\] ?{_BRACES}'
    r'\s{1,40}# (?:lid (?P<lid>\d{1,6}) lmc \d{1,2} )?"(?P<name>[^"]{0,200})" lid \d{1,6}'
    r"(?: (?P<width>[\d?]{1,2}[xX])(?P<speed>[\w.?()]{1,12}))?(?: .{0,80})?"
)
_ID = regex(r"(?P<key>vendid|devid|sysimgguid|switchguid|caguid|rtguid)=(?P<value>0x[0-9a-f]{1,16})(?P<rest>.{0,80})")
_NOTE = regex(
    r"# (?:Topology file: generated on|Initiated from node|Reported max hops|Total MADs|Spine Nodes|Line Nodes|Chassis)"
    r".{0,120}|Chassis \d{1,4}(?: \(guid.{0,40})?|Non-Chassis Nodes|Hostname: .{1,100}|#$"
)


class Topology:
    """Reads the topology of one stream."""

    kind: ClassVar[str] = "ibnetdiscover"

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
                self._device = known["value"] if known["key"] == "devid" else None
            return Use.USED if known["key"] == "devid" else Use.IGNORED
        return Use.IGNORED if _NOTE.fullmatch(text) is not None else Use.NOT_MINE

    def _node(self, node: re.Match[str], line: Line) -> Use:
        self._owner = names.node_name(node["name"], node["guid"])
        part, add = names.node(self._owner), self._found.add
        kind = "aggregation" if "Aggregation Node" in node["name"] else _TYPES[node["type"]]
        add("fabric-node-type", part, kind, line)
        add("fabric-node-guid", part, names.guid(node["guid"]), line)
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


PARSER = Topology

"""Files that ibdiagnet writes with one line a link: ``.net_dump`` (every port of every switch) and ``.lst``.

ibdiagnet 2 of MFT and MLNX_OFED writes them. A part of ``ibdiagnet2.net_dump``::

    "MF0;leafa:MQM9700/U1", Mellanox, 0x0c42a10300aa1000, LID 7
      #     : IB# : Sta  : PhysSta : MTU : LWA : LSA : Neighbor Guid      : N#  : NLID : Neighbor Description
      1/1/1 : 1   : ACT  : LINK UP : 5   : 4x  : 100 : 0x0c42a10300aa0100 : 1   : 21   : "gpu01 mlx5_0"
      1/1/2 : 2   : DOWN : POLL    : N/A : N/A : N/A :                    :     :      :

LSA is the rate of data of a lane (100), and MTU a code of the specification (5 is 4096 bytes). Switches have labels for
ports (``1/1/1``) that are not the ports' numbers, and a neighbour's port is given by label: where that switch is in the
file, too, its number is known at the end. Older versions have fewer columns, and number ports in the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric import names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, says_something
from slowlink.patterns import regex

_SWITCH = regex(
    r'"(?P<name>[^"]{0,200})", (?P<vendor>[\w .()-]{1,60}), (?P<guid>0x[0-9a-f]{1,16}), LID (?P<lid>\d{1,6})'
)
_COLUMNS = {
    "#": "label",
    "IB#": "port",
    "Sta": "state",
    "PhysSta": "physical",
    "MTU": "mtu",
    "LWA": "width",
    "LSA": "speed",
    "FEC mode": "fec",
    "Retran": "retransmission",
    "Neighbor Guid": "peer guid",
    "N#": "peer label",
    "NLID": "peer lid",
    "Neighbor Description": "peer",
}
"""Head of a column -> what it holds. Older versions have fewer columns, and number ports in the first."""
_FEWEST = 9
"""Columns of the oldest version, less one."""
_LIST_END = (
    r"\{ {1,4}(?P<type>CA|SW|RT)\S{0,6} Ports:[0-9A-Fa-f]{1,4} SystemGUID:[0-9a-f]{1,16}"
    r" NodeGUID:(?P<guid>[0-9a-f]{1,16})"
    r" PortGUID:[0-9a-f]{1,16} VenID:[0-9A-Fa-f]{1,8} DevID:[0-9A-Fa-f]{1,8} Rev:[0-9A-Fa-f]{1,8}"
    r" \{(?P<name>[^{}]{0,160})\} LID:(?P<lid>[0-9A-Fa-f]{1,8}) PN:(?P<port>[0-9A-Fa-f]{1,4}) \}"
)
_END = regex(_LIST_END)
_LINK = regex(r" PHY=(?P<width>\S{1,6}) LOG=(?P<state>\w{1,6}) SPD=(?P<speed>[\w.]{1,8})")
_TYPES = {"CA": "ca", "SW": "switch", "RT": "router"}


class IbdiagnetLinks:
    """State, width, speed and far end of each port, by the columns of the last head."""

    kind: ClassVar[str] = "ibdiagnet-links"
    literals: ClassVar[Literals] = Literals((", LID 0", "\n{ ", " : "))

    def __init__(self) -> None:
        self._found = Gathered()
        self._owner = ""
        self._columns = list(_COLUMNS.values())
        self._labels: dict[tuple[str, str], str] = {}
        """(switch, label of a port) -> the port."""
        self._peers: list[tuple[Part, str, str, Line]] = []
        """Port, its neighbour, the label of the neighbour's port: switches call ports ``1/32/1``."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            (text.startswith('"') and ", LID " in text and _SWITCH.fullmatch(text) is not None)
            or (text.startswith("{ ") and _END.match(text) is not None)
            or text.count(" : ") >= _FEWEST - 1
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (switch := _SWITCH.fullmatch(line.text.strip())) is not None:
            return self._switch(switch, line)
        if line.text.startswith("{ "):
            return self._listed(line)
        cells = [cell.strip() for cell in re.split(r" :(?: |$)", line.text)]
        if not self._owner or len(cells) < _FEWEST:
            return Use.NOT_MINE
        if cells[0] == "#":
            self._columns = [_COLUMNS.get(cell, "") for cell in cells]
            return Use.IGNORED
        told = dict(zip(self._columns, cells, strict=False))
        number = told.get("port", told.get("label", ""))
        if not number.isdecimal() or not number.isascii() or len(number) > 3:
            return Use.IGNORED
        return self._row(told, names.port(self._owner, number), line)

    def _switch(self, switch: re.Match[str], line: Line) -> Use:
        self._owner = names.node_name(switch["name"], switch["guid"])
        part, add = names.node(self._owner), self._found.add
        add("fabric-node-type", part, "switch", line)
        add("fabric-node-guid", part, names.guid(switch["guid"]), line)
        add("fabric-node-lid", part, int(switch["lid"]), line)
        return Use.USED

    def _row(self, told: Mapping[str, str], part: Part, line: Line) -> Use:
        add = self._found.add
        add("link-state", part, rates.state(told.get("state", "")), line)
        add("link-physical-state", part, rates.physical_state(told.get("physical", "")), line)
        add("link-mtu", part, _mtu(told.get("mtu", "")), line)
        add("link-width", part, rates.lanes(told.get("width", "")), line)
        add("link-speed", part, rates.lane_speed(told.get("speed", "")), line)
        fec = told.get("fec", "")
        add("link-fec", part, fec if says_something(fec) else None, line)
        self._labels[self._owner, told.get("label", "")] = part.name
        if told.get("peer guid", "").startswith("0x") and MAX_READINGS.has_room(len(self._peers)):
            peer = names.node_name(told.get("peer", ""), told["peer guid"])
            self._peers.append((part, peer, told.get("peer label", ""), line))
        return Use.USED

    def _listed(self, line: Line) -> Use:
        first = _END.match(line.text)
        second = _END.match(line.text, first.end() + 1) if first is not None else None
        if first is None or second is None:
            return Use.NOT_MINE
        ends = [names.port(names.node_name(e["name"], e["guid"]), int(e["port"], 16)) for e in (first, second)]
        link = _LINK.match(line.text, second.end())
        for end, part, peer in ((first, ends[0], ends[1]), (second, ends[1], ends[0])):
            node = names.node(part.name.rsplit("/", 1)[0])
            self._found.add("fabric-node-type", node, _TYPES[end["type"]], line)
            lid = "fabric-node-lid" if end["type"] == "SW" else "link-lid"
            self._found.add(lid, node if end["type"] == "SW" else part, int(end["lid"], 16), line)
            self._found.add("link-peer", part, peer.name, line)
            if link is not None:
                self._found.add("link-width", part, rates.lanes(link["width"]), line)
                self._found.add("link-state", part, rates.state(link["state"]), line)
                self._found.add("link-speed", part, rates.lane_speed(link["speed"]), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        for part, name, label, line in self._peers:
            self._found.add("link-peer", part, self._labels.get((name, label)) or _far_port(name, label), line)
        self._peers = []
        return self._found.all


def _mtu(code: str) -> int | None:
    """``5`` to 4096 bytes."""
    return 128 << int(code) if code in ("1", "2", "3", "4", "5") else None


def _far_port(name: str, label: str) -> str:
    """A port from its number, or from an adapter's bus address and number (``B134D0F0/0/0/1``); else ``?``."""
    last = label.rsplit("/", 1)[-1] if label.startswith("B") else label
    if last.isascii() and last.isdecimal() and len(last) < 4:
        return names.port(name, last).name
    return f"{name}/?"


PARSER = IbdiagnetLinks

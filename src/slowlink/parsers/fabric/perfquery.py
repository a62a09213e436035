"""perfquery, ibportstate and smpquery: blocks of ``Name:.......value`` under a heading that names a port.

The programs are part of rdma-core (infiniband-diags/perfquery.c, ibportstate.c, smpquery.c; libibmad/dump.c and
fields.c have the names)::

    # Port extended counters: Lid 7 port 2 (CapMask: 0x5300 CapMask2: 0x0000002)
    PortSelect:......................2
    PortXmitData:....................100
    PortRcvPkts:.....................9
    SymbolErrorCounter:..............4

Where somebody let only some lines through (``perfquery -x 7 2 | grep Xmit``), the heading is gone, and the command
above names the port by its two numbers. One line may ask twice, with a pause between: what it prints is of one port
then.

A port is named by LID, or by a route ("DR path"), which names nobody and is not read. The LID gets its node's name
where another tool shows it (``facts.fabric``). Port 255 is the sum over all ports of a switch, in counters that
saturate: it is not read. Data counters count words of four bytes. Speeds above 10 Gb/s a lane have fields
of their own (``LinkSpeedExtActive``), and the older field then holds less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.fabric import counters, names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import whole
from slowlink.patterns import regex

_ALL_PORTS = 255
_HIGHEST_PLAIN = 10.0
"""The speed of a lane that the older fields give for all that are higher, in Gb/s."""
_HEADING = regex(
    r"# (?P<what>Port counters|Port extended counters|Port info|Port info ext|Node info|Switch info|"
    r"\w{1,40} counters|MLNX ext Port info|Extended Port info|PortSamplesControl|GUID info|SL2VL table|PKeys)"
    r": (?:Lid (?P<lid>\d{1,6})|DR path .{1,200}?)(?: port (?P<port>\d{1,3}))?(?: \(CapMask.{0,80})?"
)
_INFO = regex(r"(?:CA/RT|CA|RT|Switch|Peer|Extended) ?PortInfo:|(?:CA|RT|Switch) PortInfo:")
_FIELD = regex(r"(?P<name>[A-Za-z]\w{1,60}):\.{1,60}(?P<value>.{0,200})")
_ASKED = regex(
    r"(?<![\w.-])perfquery(?P<options>(?: -{1,2}[a-zA-Z][\w-]{0,20}){0,6}) (?P<lid>\d{1,5}) (?P<port>\d{1,3})"
    r"(?= {0,8}(?:$|[|;&>]))"
)
_NO_COUNTERS = ("-G", "--Guid", "-R", "-a", "-l", "-c", "-D", "-C", "-P", "-t", "-r", "-S", "-d")
"""Options behind which a number may be something else than a port, or that ask for something else than its counters."""
_PERFQUERY = "perfquery"
_CAPABILITY = regex(r"\t{1,4}Is\w{1,60}")
_NODE_TYPES = {"Channel Adapter": "ca", "Switch": "switch", "Router": "router"}


class PerfQuery:
    """Counters of ports, and what PortInfo and NodeInfo say of a port and of its node."""

    kind: ClassVar[str] = "perfquery"
    literals: ClassVar[Literals] = Literals((":.", "\n# ", "\nIs", "PortInfo:", _PERFQUERY))

    def __init__(self) -> None:
        self._found = Gathered()
        self._what = ""
        self._part: Part | None = None
        self._extended = False
        self._speeds: dict[str, tuple[float, Part, Line]] = {}
        """Speeds of this block, by attribute: the older field holds less where there is one for higher speeds."""

    @staticmethod
    def wants(text: str) -> bool:
        if _PERFQUERY in text:
            return bool(asked(text))
        return (
            ":." in text
            or text.startswith(("# ", "\tIs", "\t\tIs", "\t\t\tIs", "\t\t\t\tIs"))
            or "PortInfo:" in text[:24]
        ) and (
            _FIELD.fullmatch(text) is not None
            or _HEADING.fullmatch(text) is not None
            or _INFO.fullmatch(text) is not None
            or _CAPABILITY.fullmatch(text) is not None
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if _PERFQUERY in text:
            return self._command(text)
        if (heading := _HEADING.fullmatch(text)) is not None:
            self._begin(heading)
            if heading["lid"] is not None and self._part is not None and self._part.kind == "fabric-port":
                self._found.add("link-lid", self._part, int(heading["lid"]), line)
            return Use.USED
        if _INFO.fullmatch(text) is not None or _CAPABILITY.fullmatch(text) is not None:
            return Use.IGNORED
        field = _FIELD.fullmatch(text)
        if field is None or not self._what:
            return Use.NOT_MINE
        if self._part is None:
            return Use.IGNORED
        return self._field(field["name"], field["value"].strip(), self._part, line)

    def _command(self, text: str) -> Use:
        """What follows is of this port, until a heading names one. The line is a prompt, too."""
        ports = asked(text)
        if ports:
            self._end()
            one = len(set(ports)) == 1 and int(ports[0][1]) != _ALL_PORTS
            self._what, self._extended = _PERFQUERY, False
            self._part = names.port(names.by_lid(ports[0][0]), ports[0][1]) if one else None
        return Use.NOT_MINE

    def _begin(self, heading: re.Match[str]) -> None:
        self._end()
        self._what, self._part, self._extended = heading["what"], None, False
        if heading["lid"] is None:
            return
        name, port = names.by_lid(heading["lid"]), heading["port"]
        if port is None:
            self._part = names.node(name)
        elif int(port) != _ALL_PORTS:
            self._part = names.port(name, port)

    def _field(self, name: str, value: str, part: Part, line: Line) -> Use:
        if name == "PortSelect" and value == str(_ALL_PORTS):
            self._part = None
            return Use.IGNORED
        attribute = counters.attribute_of(name)
        count = whole(value)
        if attribute is not None and count is not None and part.kind == "fabric-port":
            self._found.add(attribute, part, counters.in_unit(attribute, count), line)
            return Use.USED
        told = _port_info(name, value) if part.kind == "fabric-port" else _node_info(name, value)
        if told is None or told[1] is None:
            return Use.IGNORED
        self._extended = self._extended or name == "LinkSpeedExtActive"
        if isinstance(told[1], float):
            known = self._speeds.get(told[0])
            if known is None or known[0] < told[1]:
                self._speeds[told[0]] = told[1], part, line
        else:
            self._found.add(told[0], part, told[1], line)
        return Use.USED

    def _end(self, cut: bool = False) -> None:
        """Keep the speeds of a block. One that is cut may lack the field of higher speeds."""
        for attribute, (value, part, line) in self._speeds.items():
            if not cut or value != _HIGHEST_PLAIN:
                self._found.add(attribute, part, value, line)
        self._speeds = {}

    def finish(self) -> Iterable[Reading]:
        self._end(cut=not self._extended)
        return self._found.all


def asked(text: str) -> list[tuple[str, str]]:
    """LID and port of every question for the counters of a port in this command line."""
    return [
        (question["lid"], question["port"])
        for question in _ASKED.finditer(text)
        if not set(question["options"].split()) & set(_NO_COUNTERS)
    ]


def _port_info(name: str, value: str) -> tuple[str, Value | None] | None:
    """Attribute and value of one field of PortInfo."""
    if name == "LinkState":
        return "link-state", rates.state(value)
    if name == "PhysLinkState":
        return "link-physical-state", rates.physical_state(value)
    if name == "LinkWidthActive":
        return "link-width", rates.lanes(value)
    if name == "LinkWidthSupported":
        return "link-width-supported", rates.most_lanes(value)
    if name in ("LinkSpeedActive", "LinkSpeedExtActive"):
        return "link-speed", rates.lane_speed(value)
    if name in ("LinkSpeedSupported", "LinkSpeedExtSupported"):
        return "link-speed-supported", rates.most_speed(value)
    whole_fields = {"NeighborMTU": "link-mtu", "Lid": "link-lid", "SMLid": "link-sm-lid"}
    return (whole_fields[name], whole(value)) if name in whole_fields else None


def _node_info(name: str, value: str) -> tuple[str, Value | None] | None:
    """Attribute and value of one field of NodeInfo."""
    if name == "NodeType":
        return "fabric-node-type", _NODE_TYPES.get(value)
    if name == "NumPorts":
        return "fabric-node-ports", whole(value)
    if name == "Guid":
        return "fabric-node-guid", names.guid(value) if whole(value) is not None else None
    return ("fabric-node-device", value) if name == "DevId" and whole(value) is not None else None


PARSER = PerfQuery

"""ibdiagnet's own output (``ibdiagnet2.log``): what each stage found, and the summary of the fabric.

The program is ibdiagnet 2 of MFT and MLNX_OFED::

    Running version:   "IBDIAGNET 2.13.0"
    -I- No scope files. Total switches/ports [2/130], CAs/ports [4/4]
    -E- leafa/U1/P1/1/2 - Speed is lower than supported
    Total number of links   : 5
    Links at 4x100          : 4
    -I- Stage                               Warnings   Errors     Comment
    -I- Discovery                           3          0
    -I- Speed / Width checks                0          2

Lines of ``-W-`` and ``-E-`` are counted, by stage, in the table at the end. Counters above a threshold are below the
line that names their port. "No errors" here says nothing of counters that ibdiagnet was not asked to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric import counters, names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE
from slowlink.patterns import regex

_RUNNING = regex(r"Running (?:version|command|timestamp): {1,4}.{0,400}")
_STAGE = regex(r"-I- (?P<stage>\w[\w /&-]{2,39}?) {2,40}(?P<warnings>\d{1,7}) {1,12}(?P<errors>\d{1,7})(?: .{0,200})?")
_MESSAGE = regex(r"-(?P<level>[IWE])- .{0,600}")
_ERROR = regex(r"-E- (?P<label>\S{1,200}(?:/P\d{1,3}(?:/\d{1,3}){0,3})?) - (?P<text>.{1,300})")
_ENDED = "finished with errors"
"""The last line of a stage; what they are stands above it."""
_NUMBERS = (
    (regex(r"Total Nodes {1,30}: (\d{1,9})"), "fabric-nodes"),
    (regex(r"IB Switches {1,30}: (\d{1,9})"), "fabric-switches"),
    (regex(r"IB Channel Adapters {1,30}: (\d{1,9})"), "fabric-cas"),
    (regex(r"IB Aggregation Nodes {1,30}: (\d{1,9})"), "fabric-aggregation-nodes"),
    (regex(r"Total number of links {1,30}: (\d{1,9})"), "fabric-links"),
    (regex(r"Adaptive Routing is enabled on (\d{1,9}) switches\."), "fabric-ar-switches"),
)
_SCOPE = regex(r"-I- .{0,60}Total switches/ports \[(\d{1,9})/\d{1,9}\], CAs/ports \[(\d{1,9})/\d{1,9}\].{0,80}")
_LINKS = regex(r"Links at (?P<width>\d{1,2}x)(?P<speed>[\w.]{1,8}) {1,30}: (?P<count>\d{1,9})")
_MASTER = regex(
    r"Master SM: Port=\d{1,3} LID=(?P<lid>\d{1,6}) GUID=(?P<guid>0x[0-9a-f]{1,16})"
    r" .{0,60}Priority:(?P<priority>\d{1,3}).{0,300}"
)
_NO_MASTER = regex(r"Master SM *: (?:No Master SM|None).{0,60}")
_STANDBY = regex(r"Standby SM *: (?:(?P<none>No Standby SM)|Port=.{1,300})")
_OF_PORT = regex(r"-[WE]- lid=0x[0-9a-f]{1,8} dev=\d{1,9} (?P<label>\S{1,200}/P?\d{1,3}(?:/\d{1,3}){0,3})")
_COUNTER = regex(r"(?P<name>[a-z]\w{3,60}) {1,60}: (?P<value>\d{1,20}) {1,20}\(threshold=\d{1,20}\)")
_COUNTERS = "Performance Monitor counter"
_WORDS = regex(
    r"-{10,80}|Fabric Summary|Discovery|Lids Check|Links Check|Subnet Manager|Port Counters|Nodes Information|Summary"
    r"|Speed / Width checks|Virtualization|Partition Keys|Temperature Sensing|Routers|Post Reports Generation"
    r"|Cable .{2,40}"
    r"|IB Routers {1,30}: \d{1,9}|Hashed Based Forwarding is enabled on \d{1,9} switches\.|Load Plugins from:"
    r"|/.{1,200}/plugins/|\(You can specify more paths.{1,200}|Plugin Name {4,60}Result {1,12}Comment"
    r"|lib\w{1,80}[\w.-]{1,40} {1,40}(?:Succeeded|Failed).{0,200}|Switch label port numbering explanation:"
    r"|  Quantum\d? switch .{1,100}"
)

_TOLD = ("-I- ", "-W- ", "-E- ", "Running ", "Master SM", "Standby SM", "Links at ", "Links At ")
_SUMS = ("Total N", "Total n", "IB Switches", "IB Channel", "IB Aggregation", "Adaptive Routing")
_STARTS = (
    "----------",
    "Fabric Summary",
    "Discovery",
    "Lids Check",
    "Links Check",
    "Subnet Manager",
    "Port Counters",
    "Nodes Information",
    "Summary",
    "Speed / Width",
    "Virtualization",
    "Partition Keys",
    "Temperature Sensing",
    "Routers",
    "Post Reports",
    "Cable ",
    "IB Routers",
    "Hashed Based",
    "Load Plugins",
    "/",
    "(You can",
    "Plugin Name",
    "lib",
    "Switch label",
    "  Quantum",
)
"""How lines of ``_WORDS`` begin: most lines of other tools do not."""


class IbdiagnetLog:
    """Numbers of the fabric, warnings and errors of each stage, and counters above their thresholds."""

    kind: ClassVar[str] = "ibdiagnet-log"
    literals: ClassVar[Literals] = Literals(
        (_COUNTERS, "(threshold=", *(f"\n{start.lstrip()}" for start in (*_TOLD, *_SUMS, *_STARTS)))
    )

    def __init__(self) -> None:
        self._found = Gathered()
        self._opened = False
        self._counted: Part | None = None
        """The port whose counters follow."""

    @staticmethod
    def wants(text: str) -> bool:
        return (
            text.startswith(_TOLD)
            or (text.startswith(_SUMS) and any(pattern.fullmatch(text) is not None for pattern, _ in _NUMBERS))
            or _COUNTERS in text[:40]
            or ("(threshold=" in text and _COUNTER.fullmatch(text.strip()) is not None)
            or (text.startswith(_STARTS) and _WORDS.fullmatch(text) is not None)
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if _RUNNING.fullmatch(text) is not None or text == "Load Plugins from:":
            self._opened = True
            return Use.IGNORED
        if (stage := _STAGE.fullmatch(text)) is not None and stage["stage"] != "Stage":
            return self._stage(stage, line)
        if (scope := _SCOPE.fullmatch(text)) is not None:
            self._found.add("fabric-switches", NODE, int(scope[1]), line)
            self._found.add("fabric-adapters", NODE, int(scope[2]), line)
            return Use.USED
        if self._counted is not None and text.startswith(_COUNTERS):
            return Use.IGNORED
        if self._counted is not None and (count := _COUNTER.fullmatch(text)) is not None:
            return self._count(count, self._counted, line)
        if _MESSAGE.fullmatch(text) is not None:
            self._opened = True
            of_port = _OF_PORT.fullmatch(text)
            self._counted = None if of_port is None else _port(of_port["label"])
            return self._error(text, line)
        if self._sum(text, line):
            return Use.USED
        return Use.IGNORED if self._opened and _WORDS.fullmatch(line.text) is not None else Use.NOT_MINE

    def _stage(self, stage: re.Match[str], line: Line) -> Use:
        part = Part("test", f"ibdiagnet/{stage['stage'].strip()}")
        self._found.add("ibdiagnet-warnings", part, int(stage["warnings"]), line)
        self._found.add("ibdiagnet-errors", part, int(stage["errors"]), line)
        return Use.USED

    def _count(self, count: re.Match[str], port: Part, line: Line) -> Use:
        """A counter above ibdiagnet's threshold."""
        attribute = counters.attribute_of(count["name"])
        if attribute is None:
            return Use.IGNORED
        self._found.add(attribute, port, counters.in_unit(attribute, int(count["value"])), line)
        return Use.USED

    def _error(self, text: str, line: Line) -> Use:
        found = _ERROR.fullmatch(text)
        said = text[4:].strip() if text.startswith("-E- ") else ""
        if found is None and said and _OF_PORT.fullmatch(text) is None:
            end = said.endswith(_ENDED)
            name = said.removesuffix(_ENDED).strip() if end else "error"
            message = _ENDED if end else said[:300]
            self._found.add("ibdiagnet-message", Part("test", f"ibdiagnet/{name[:80]}"), message, line)
            return Use.USED
        if found is None:
            return Use.IGNORED
        part = Part("test", f"ibdiagnet/{found['label']}")
        self._found.add("ibdiagnet-message", part, found["text"].strip(), line)
        return Use.USED

    def _sum(self, text: str, line: Line) -> bool:
        add = self._found.add
        for pattern, attribute in _NUMBERS:
            if (found := pattern.fullmatch(text)) is not None:
                add(attribute, NODE, int(found[1]), line)
                return True
        if (found := _LINKS.fullmatch(text)) is not None:
            add(
                "fabric-link-class",
                Part("fabric-links", f"{found['width']} {found['speed']}"),
                int(found["count"]),
                line,
            )
        elif (found := _MASTER.fullmatch(text)) is not None:
            part = names.node(names.by_lid(found["lid"]))
            add("sm-state", part, "master", line)
            add("sm-priority", part, int(found["priority"]), line)
            add("fabric-node-guid", part, names.guid(found["guid"]), line)
            add("sm-reachable", NODE, True, line)
        elif _NO_MASTER.fullmatch(text) is not None:
            add("sm-reachable", NODE, False, line)
        elif (found := _STANDBY.fullmatch(text)) is not None:
            add("fabric-standby-sms", NODE, 0 if found["none"] else 1, line)
        else:
            return False
        return True

    def finish(self) -> Iterable[Reading]:
        return self._found.all


def _port(label: str) -> Part:
    """``leaf1/U1/P12`` to ``leaf1/12``: the last number is the port's."""
    return names.port(names.node_of_port_label(label), label.rsplit("/", 1)[-1].removeprefix("P"))


PARSER = IbdiagnetLog

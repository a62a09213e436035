"""ibqueryerrors: ports whose error counters are above their thresholds, and how many ports answered.

The program is part of rdma-core (infiniband-diags/ibqueryerrors.c)::

    Errors for 0x0c42a10300aa1000 "leafa"
       GUID 0x0c42a10300aa1000 port ALL: [PortXmitDiscards == 255]
       GUID 0x0c42a10300aa1000 port 2: [PortXmitDiscards == 1300] [PortXmitWait == 77 (0.077K)]

    ## Summary: 5 nodes checked, 1 bad nodes found
    ##          200 ports checked, 1 ports have errors beyond threshold

``port ALL`` of a switch is a sum in narrower counters (255 may stand for 900): it is not read. A port that is not
printed had no counter above its threshold, which is not zero. The exit status is 1 when errors are printed, and 0 when
no subnet manager answered: only the summary shows what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.fabric import counters, names
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.fabric.link_line import link_line, read_link
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE
from slowlink.patterns import regex

_STARTS = (
    "Errors for ",
    "Data Counters f",
    "GUID 0x",
    "Link info:",
    "## ",
    "Query SA failed",
    "libibnetdisc/",
    "./libibnetdisc/",
)
_HEADING = regex(r'(?:Errors|Data Counters) for (?:(?P<guid>0x[0-9a-f]{1,16}) )?"(?P<name>.{0,160})"')
_PORT = regex(r"\s{0,8}GUID (?P<guid>0x[0-9a-f]{1,16}) port (?P<port>ALL|\d{1,3}):(?P<counters>.{0,4000})")
_COUNTER = regex(r"\[(\w{1,60}) == (\d{1,20})")
_CHECKED = regex(r"## Summary: (\d{1,9}) nodes checked, (\d{1,9}) bad nodes found")
_PORTS = regex(r"##\s{1,12}(\d{1,9}) ports checked, (\d{1,9}) ports have errors beyond threshold")
_FAILURES = regex(r"##\s{1,12}(\d{1,9}) PMA query failures")
_NO_SA = regex(r"Query SA failed: .{1,200}")
_NOISE = regex(
    r"## (?:Thresholds|Suppressed):.{0,600}|## \[.{0,600}"
    r"|(?:\./)?libibnetdisc/\w{1,40}\.c:\d{1,6}; .{1,300}"
)
_SUMS = (
    (_CHECKED, ("fabric-nodes-checked", "fabric-nodes-bad")),
    (_PORTS, ("fabric-ports-checked", "fabric-ports-bad")),
    (_FAILURES, ("fabric-query-failures",)),
)


class IbQueryErrors:
    """Counters of the ports that are printed, their links, and what the summary counted."""

    kind: ClassVar[str] = "ibqueryerrors"
    literals: ClassVar[Literals] = Literals(f"\n{start}" for start in _STARTS)

    def __init__(self) -> None:
        self._found = Gathered()
        self._owner: re.Match[str] | None = None
        self._part: Part | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return text.lstrip().startswith(_STARTS)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        if (heading := _HEADING.fullmatch(text)) is not None:
            self._owner, self._part = heading, None
            return Use.USED
        if (port := _PORT.fullmatch(text)) is not None:
            return self._port(port, line)
        if text.startswith("Link info:"):
            return self._link(line)
        return self._sum(text, line)

    def _port(self, port: re.Match[str], line: Line) -> Use:
        self._part = None
        if port["port"] == "ALL" or self._owner is None:
            return Use.IGNORED
        name = names.node_name(self._owner["name"], self._owner["guid"] or port["guid"])
        part = self._part = names.port(name, port["port"])
        self._found.add("link-guid", part, names.guid(port["guid"]), line)
        for counter, value in _COUNTER.findall(port["counters"]):
            attribute = counters.attribute_of(counter)
            if attribute is not None:
                self._found.add(attribute, part, counters.in_unit(attribute, int(value)), line)
        return Use.USED

    def _link(self, line: Line) -> Use:
        found = link_line(line.text)
        if found is None or self._part is None:
            return Use.IGNORED
        read_link(found, self._part, line, self._found)
        if found.lid:  # by which perfquery names the port
            self._found.add("link-lid", self._part, found.lid, line)
        return Use.USED

    def _sum(self, text: str, line: Line) -> Use:
        for pattern, attributes in _SUMS:
            if (found := pattern.fullmatch(text)) is not None:
                for attribute, value in zip(attributes, found.groups(), strict=True):
                    self._found.add(attribute, NODE, int(value), line)
                return Use.USED
        if _NO_SA.fullmatch(text) is not None:
            self._found.add("sm-reachable", NODE, False, line)
            return Use.USED
        return Use.IGNORED if _NOISE.fullmatch(text) is not None else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found.all


PARSER = IbQueryErrors

"""``ip link``, ``ip -s link``, ``ip addr`` and ``ip -br``: network interfaces, their state, MTU and counters::

    6: p4p1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
        link/ether 00:11:22:33:44:07 brd ff:ff:ff:ff:ff:ff
        RX: bytes  packets  errors  dropped overrun mcast
        104        90       14      0       0       8

The first line of an interface names it; what follows is indented. Counters stand below the names of their columns,
which changed over versions. ``-s -s`` adds lines of kinds of errors, which the sum above includes: they are ignored. A
name may be followed by ``@`` and its parent (``ib0.8001@ib0``). State ``UNKNOWN`` says nothing.

Source: iproute2 ``ip/ipaddress.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, whole
from slowlink.patterns import regex

_NAME = r"(?P<name>[A-Za-z][\w.-]{0,40})(?:@[\w.-]{1,40})?"
_FIRST = regex(rf"\s{{0,20}}\d{{1,6}}: {_NAME}: <(?P<flags>[A-Z0-9_,-]{{0,300}})>(?P<rest>(?: .{{0,600}})?)")
_ADDRESS = regex(r"\s{2,20}link/(?P<kind>\w{1,20})(?: (?P<address>[0-9a-f:.]{2,80}))?(?: .{0,200})?")
_IPV4 = regex(r"\s{2,20}inet (?P<ip>\d{1,3}(?:\.\d{1,3}){3})/\d{1,2} .{0,200}")
_SILENT = regex(r"\s{2,20}(?:inet\d |valid_lft |altname |vf \d).{0,300}")
_COLUMNS = regex(r"\s{2,20}(?P<side>RX|TX): {1,4}bytes {1,20}packets .{0,120}")
_DETAILS = regex(r"\s{2,20}[RT]X errors:? {1,4}[a-z_ ]{4,80}")
"""``-s -s``: kinds of errors, which the sum above includes."""
_COUNTS = regex(r"\s{2,20}\d{1,20}(?: {1,20}\d{1,20}){3,7}\s{0,8}")
_BRIEF = regex(
    rf"{_NAME} {{1,40}}(?P<state>UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN|NOTPRESENT)"
    r"(?: {1,40}(?P<rest>[0-9a-f:./]{2,80}\b.{0,300}))?\s{0,8}"
)
_PAIR = regex(r" (?P<key>mtu|master|state) (?P<value>[\w.-]{1,40})")
_COUNTERS = {"bytes": "bytes", "packets": "packets", "errors": "errors", "dropped": "dropped"}
_IPOIB_COLONS = 19
"""Addresses of IPoIB have 20 octets, of Ethernet 6."""
_OF_NO_INTEREST = "details"
GAP = 14


class IpLink:
    """Remembers the interface whose lines follow, and the columns of the counters below."""

    kind: ClassVar[str] = "ip"
    literals: ClassVar[Literals] = Literals(
        (
            *(": <", "\nlink/", "\ninet ", "\ninet0 ", "\nvalid_lft ", "\naltname ", "\nvf 0", "\nRX: ", "\nTX: "),
            *("\nRX error", "\nTX error", "\n0 ", " UP", " DOWN", " UNKNOWN", " DORMANT", " LOWERLAYERDOWN"),
            " NOTPRESENT",
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface: Part | None = None
        self._columns: list[str] = []
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        patterns = (_FIRST, _ADDRESS, _IPV4, _SILENT, _COLUMNS, _DETAILS, _COUNTS, _BRIEF)
        return any(pattern.fullmatch(text) for pattern in patterns)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        first = _FIRST.fullmatch(line.text)
        if first is not None:
            return self._first(first, line)
        brief = _BRIEF.fullmatch(line.text)
        if brief is not None:
            return self._brief(brief, line)
        if self._interface is None or line.no - self._last > GAP:
            return Use.NOT_MINE
        use = self._more(self._interface, line)
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _first(self, match: re.Match[str], line: Line) -> Use:
        part = self._interface = Part("interface", match["name"])
        self._last, self._columns = line.no, []
        flags = match["flags"].split(",")
        self._add("interface-admin-up", part, "UP" in flags, line)
        self._add("interface-carrier", part, "LOWER_UP" in flags and "NO-CARRIER" not in flags, line)
        for pair in _PAIR.finditer(match["rest"]):
            key, value = pair["key"], pair["value"]
            if key == "mtu":
                self._add("interface-mtu", part, whole(value), line)
            elif key == "master":
                self._add("interface-bond", part, value, line)
            else:
                self._state(part, value, line)
        return Use.USED

    def _brief(self, match: re.Match[str], line: Line) -> Use:
        part = Part("interface", match["name"])
        self._state(part, match["state"], line)
        for word in (match["rest"] or "").split():
            ip = re.fullmatch(r"(\d{1,3}(?:\.\d{1,3}){3})/\d{1,2}", word)
            if ip:
                self._add("interface-ipv4", part, ip[1], line)
            elif re.fullmatch(r"(?:[0-9a-f]{2}:){5,19}[0-9a-f]{2}", word):
                self._add("interface-address", part, word, line)
                if word.count(":") == _IPOIB_COLONS:
                    self._add("interface-kind", part, "infiniband", line)
        return Use.USED if self._found and self._found[-1].ref.line == line.no else Use.IGNORED

    def _more(self, part: Part, line: Line) -> Use:
        address, ip = _ADDRESS.fullmatch(line.text), _IPV4.fullmatch(line.text)
        columns = _COLUMNS.fullmatch(line.text)
        if address is not None:
            self._add("interface-kind", part, address["kind"], line)
            self._add("interface-address", part, address["address"], line)
        elif ip is not None:
            self._add("interface-ipv4", part, ip["ip"], line)
        elif columns is not None:
            self._columns = [columns["side"].lower(), *line.text.split()[1:]]
            return Use.IGNORED
        elif _DETAILS.fullmatch(line.text):
            self._columns = [_OF_NO_INTEREST]
            return Use.IGNORED
        elif self._columns == [_OF_NO_INTEREST] and _COUNTS.fullmatch(line.text):
            self._columns = []
            return Use.IGNORED
        elif self._columns and _COUNTS.fullmatch(line.text):
            self._counts(part, line)
        else:
            return Use.IGNORED if _SILENT.fullmatch(line.text) else Use.NOT_MINE
        return Use.USED

    def _counts(self, part: Part, line: Line) -> None:
        side, *names = self._columns
        for name, text in zip(names, line.text.split(), strict=False):
            if name in _COUNTERS:
                self._add(f"interface-{side}-{_COUNTERS[name]}", part, whole(text), line)
        self._columns = []

    def _state(self, part: Part, text: str, line: Line) -> None:
        if text != "UNKNOWN":
            self._add("interface-state", part, text.lower(), line)

    def _add(self, name: str, part: Part, value: Value | None, line: Line) -> None:
        if value is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(name, part, value, line))


PARSER = IpLink

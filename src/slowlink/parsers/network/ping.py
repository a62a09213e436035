"""``ping``: how many of the packets that were sent to a node came back::

    --- gpu02 ping statistics ---
    10 packets transmitted, 0 received, +9 errors, 100% packet loss, time 9200ms

An error is an answer that a packet could not be delivered: nobody is there, or the packet is too long for the way
(``message too long, mtu=1500``, ``Frag needed``), which is told apart. Only the totals are read: a
packet may be under way while its line is missing. ``ibping`` ends alike; its peer is a ``Lid``,
and where nobody answered there is no name before it.

Source: iputils (``ping/ping_common.c``, ``finish``), GNU inetutils and BusyBox, which say ``packets received``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_MAX_EVENTS = Limit(100_000, "pings")
_MARKS = ("ping statistics", "packets transmitted", "PING ", "min/avg/max", "seq=", "essage too long")
_TITLE = regex(
    r"\s{0,8}--- (?:(?P<peer>[\w.:%-]{1,120}) ping|(?:\S{0,120} )?\((?P<lid>Lid \d{1,5})\) ibping) statistics"
    r" ---\s{0,8}"
)
_TOTALS = regex(
    r"\s{0,8}(?P<sent>\d{1,12}) packets transmitted, (?P<received>\d{1,12})(?: packets)? received"
    r"(?:, \+?(?P<duplicates>\d{1,12}) duplicates)?(?:, \+(?P<corrupted>\d{1,12}) corrupted)?"
    r"(?:, \+(?P<errors>\d{1,12}) errors)?(?:, \d{1,3}(?:\.\d{1,8})?% packet loss)?(?:, time \d{1,12} ?ms)?\s{0,8}"
)
_USUAL_BYTES = 1472
"""What fits into a packet of the usual MTU of 1500 bytes."""
_BEGIN = regex(r"\s{0,8}PING \S{1,120} \(\S{1,80}\):? (?P<bytes>\d{1,5})(?:\(\d{1,5}\))? (?:data )?bytes\b.{0,80}")
_BESIDE = regex(
    r"\s{0,8}(?:PING \S{1,120} \(\S{1,80}\):? .{0,80}|(?:rtt|round-trip) min/avg/max\S{0,10} = [\d./]{5,80} ms.{0,80}"
    r"|\d{1,6} bytes from .{1,160}: (?:icmp_)?seq=\d{1,9} ttl=\d{1,3}(?: time=[\d.]{1,20} ms)?)\s{0,8}"
)
_TOO_LONG = regex(
    r"(?:ping: (?:local error|sendmsg): [Mm]essage too long(?:, mtu=(?P<own>\d{1,6}))?"
    r"|From \S{1,120} (?:\(\S{1,80}\) )?icmp_seq=\d{1,9} Frag needed and DF set(?: \(mtu = (?P<way>\d{1,6})\))?)\s{0,8}"
)


class Ping:
    """One event for each ping whose packets did not all come back, one for each whose packets did."""

    kind: ClassVar[str] = "ping"
    literals: ClassVar[Literals] = Literals(_MARKS)

    def __init__(self) -> None:
        self._found: list[JobEvent] = []
        self._peer = ""
        self._mtu = ""
        self._bytes = ""

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) is not None for pattern in (_TITLE, _TOTALS, _BESIDE, _TOO_LONG))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (title := _TITLE.fullmatch(line.text)) is not None:
            self._peer = title["peer"] or title["lid"]
            return Use.IGNORED
        if (too_long := _TOO_LONG.fullmatch(line.text)) is not None:
            self._mtu = too_long["own"] or too_long["way"] or "unknown"
            return Use.USED
        if (begin := _BEGIN.fullmatch(line.text)) is not None:
            self._bytes = begin["bytes"] if int(begin["bytes"]) > _USUAL_BYTES else ""
            return Use.IGNORED
        totals = _TOTALS.fullmatch(line.text)
        if totals is None:
            return Use.IGNORED if _BESIDE.fullmatch(line.text) is not None else Use.NOT_MINE
        if int(totals["sent"]) >= int(totals["received"]) and _MAX_EVENTS.has_room(len(self._found)):
            self._found.append(_event(totals, self._peer, self._mtu, self._bytes, line))
        self._peer = self._mtu = self._bytes = ""
        return Use.USED

    def finish(self) -> Iterable[JobEvent]:
        return self._found


def _event(totals: re.Match[str], peer: str, mtu: str, size: str, line: Line) -> JobEvent:
    groups = {name: text for name, text in totals.groupdict().items() if text is not None}
    lost = int(totals["received"]) < int(totals["sent"])
    named = {name: text for name, text in (("peer", peer), ("mtu", mtu), ("bytes", size)) if text}
    return JobEvent(
        "ping-lost" if lost else "ping-answered", "ping", line.text.strip(), named | groups, line.ref(), line.host
    )


PARSER = Ping

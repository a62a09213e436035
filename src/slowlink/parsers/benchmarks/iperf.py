"""``iperf3`` and ``iperf`` 2: what TCP or UDP carries between two hosts, as text::

    Connecting to host gpu02, port 5201
    [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
    [  5]   0.00-1.00   sec   112 MBytes   939 Mbits/sec  812   22.6 KBytes
    - - - - - - - - - - - - - - - - - - - - - - - - -
    [SUM]   0.00-10.00  sec   109 GBytes  94.0 Gbits/sec    0             sender
    [SUM]   0.00-10.00  sec   109 GBytes  94.0 Gbits/sec                  receiver

One event a test: of several streams their sum, of both ends what the receiver got. Retransmits are the sender's;
version 2 does not print them, and marks no line as the last: its sum, or the only stream's longest interval, counts.

Source: ``iperf_locale.c`` of iperf 3.1 to 3.17, ``ReportOutputs.c`` and ``Locale.c`` of iperf 2.0 to 2.2.
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

_MOST_EVENTS = Limit(20_000, "tests")
_START = regex(
    r"(?:Connecting to host (?P<three>[^\s,]{1,120}), port \d{1,5}"
    r"|Client connecting to (?P<two>[^\s,]{1,120}), (?:TCP|UDP) port \d{1,5}.{0,60})\s*"
)
_ROW = regex(
    r"\[ {0,3}(?P<id>\d{1,5}|SUM)\](?:\[[TR]X-[CS]\])?"
    r"\s{1,8}(?P<since>\d{1,8}\.\d{1,4})\s{0,4}-\s{0,4}(?P<until>\d{1,8}\.\d{1,4})\s{1,6}sec"
    r"\s{1,8}(?P<amount>\d{1,12}(?:\.\d{1,3})?) (?P<amount_unit>[KMGTP]?)Bytes"
    r"\s{1,8}(?P<rate>\d{1,12}(?:\.\d{1,3})?) (?P<rate_unit>[KMGTP]?)bits/sec(?P<rest>.{0,120})"
)
_LOST = regex(r".{0,40}? (?P<lost>\d{1,15})/ {0,8}(?P<datagrams>\d{1,15}) \([\d.e+-]{1,12}%\)")
_RETRANSMITS = regex(r"\s{1,8}(?P<retransmits>\d{1,12})\s{1,20}sender")
_BESIDE = regex(
    r"\[ {0,2}ID\] Interval .{1,100}|(?:- ){20,40}-?|iperf Done\.|-{50,70}|(?:TCP window|UDP buffer) size: .{1,80}"
    r"|\[ {0,3}(?:\d{1,5}|SUM)\] local \S{1,80} port \d{1,5} connected (?:to|with) .{1,160}"
    r"|Server listening on (?:TCP port )?\d{1,5}.{0,60}|Accepted connection from \S{1,80}, port \d{1,5}"
)
_PREFIX = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}


class Iperf:
    """Keeps the row that counts of the test that is going on."""

    kind: ClassVar[str] = "iperf"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                "bits/sec",
                "\nConnecting to host ",
                "\nClient connecting to ",
                "\n[ ID] ",
                "\n- - - ",
                "\niperf Done.\n",
            ),
            *("\n----------", "\nTCP window size: ", "\nUDP buffer size: ", " connected ", "\nServer listening on "),
            "\nAccepted connection from ",
        )
    )

    def __init__(self) -> None:
        self._found: list[JobEvent] = []
        self._peer = ""
        self._best: tuple[tuple[bool, bool, float], re.Match[str], Line] | None = None
        self._retransmits = ""

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text.strip()) for pattern in (_ROW, _START, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        start = _START.fullmatch(text)
        if start is not None or text.startswith("Accepted connection from "):
            self._end()
            self._peer = (start["three"] or start["two"]) if start is not None else ""
            return Use.IGNORED
        row = _ROW.fullmatch(text)
        if row is None:
            return Use.IGNORED if _BESIDE.fullmatch(text) else Use.NOT_MINE
        sent = _RETRANSMITS.match(row["rest"])
        rank = (row["id"] == "SUM", row["rest"].endswith("receiver"), float(row["until"]) - float(row["since"]))
        if sent is not None and (not self._retransmits or row["id"] == "SUM"):
            self._retransmits = sent["retransmits"]
        if self._best is None or rank >= self._best[0]:
            self._best = rank, row, line
        return Use.USED

    def _end(self) -> None:
        if self._best is not None and _MOST_EVENTS.has_room(len(self._found)):
            _, row, line = self._best
            self._found.append(_event(row, self._peer, self._retransmits, line))
        self._best, self._retransmits = None, ""

    def finish(self) -> Iterable[JobEvent]:
        self._end()
        return self._found


def _event(row: re.Match[str], peer: str, retransmits: str, line: Line) -> JobEvent:
    groups = {
        "rate_gbit": f"{float(row['rate']) * _PREFIX[row['rate_unit']] / 1e9:.6g}",
        "bytes": f"{float(row['amount']) * 1024.0 ** ' KMGTP'.find(row['amount_unit'] or ' '):.0f}",
    }
    lost = _LOST.match(row["rest"])
    if lost is not None:
        groups |= {"lost": lost["lost"], "datagrams": lost["datagrams"]}
    named = {name: text for name, text in (("peer", peer), ("retransmits", retransmits)) if text}
    return JobEvent("iperf-result", "iperf", line.text.strip(), named | groups, line.ref(), line.host)


PARSER = Iperf

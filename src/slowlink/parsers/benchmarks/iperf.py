"""``iperf3`` and ``iperf`` 2: what TCP or UDP carries between two hosts, as text::

    Connecting to host gpu02, port 5201
    [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
    [  5]   0.00-1.00   sec   112 MBytes   939 Mbits/sec  812   22.6 KBytes
    - - - - - - - - - - - - - - - - - - - - - - - - -
    [SUM]   0.00-10.00  sec   109 GBytes  94.0 Gbits/sec    0             sender
    [SUM]   0.00-10.00  sec   109 GBytes  94.0 Gbits/sec                  receiver

One event a test, and two where both directions run at once: of several streams their sum, of both ends what the
receiver got. Retransmits are the sender's; version 2 prints them with ``-e`` alone, and marks no line as the last: its
sum (``[SUM-8]`` names the streams), or the only stream's longest interval, counts. Rates are bits in powers of 1000,
or bytes in powers of 1024 (``-f M``).

Source: ``iperf_locale.c`` and ``units.c`` of iperf 3.1 to 3.19, ``Locale.c`` of iperf 2.0.5 to 2.2.1.
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
    r"\[ {0,3}\*?(?P<id>\d{1,5}|SUM(?:-\d{1,5})?|FD\d{1,5})\](?:\[(?P<role>[TR]X-[CS])\])?"
    r"\s{1,8}(?P<since>\d{1,8}\.\d{1,4})\s{0,4}-\s{0,4}(?P<until>\d{1,8}\.\d{1,4})\s{1,6}sec"
    r"\s{1,8}(?P<amount>\d{1,12}(?:\.\d{1,3})?) (?P<amount_unit>[KMGTP]?)Bytes"
    r"\s{1,8}(?P<rate>\d{1,12}(?:\.\d{1,3})?) (?P<rate_unit>[KMGTP]?)(?P<what>bits|Bytes)/sec"
    r"(?P<rest>.{0,300})"
)
_LOST = regex(r".{0,40}? (?P<lost>\d{1,15})/ {0,8}(?P<datagrams>\d{1,15}) \([\d.e+-]{1,12}%\)")
_RETRANSMITS = regex(r"\s{1,8}(?P<retransmits>\d{1,12})\s{1,20}sender")
_RETRIES = regex(r"\s{1,8}\d{1,15}/\d{1,15}\s{1,12}(?P<retransmits>\d{1,12})(?:\s.{0,240})?")
"""Behind the number of writes and of their errors, below a heading that names ``Rtry``."""
_BESIDE = regex(
    r"\[ {0,2}ID\](?:\[Role\])? {1,3}Interval .{1,160}|(?:- ){20,40}-?|iperf Done\.|-{50,70}"
    r"|(?:TCP window|UDP buffer) size: .{1,80}"
    r"|(?:Starting Test: protocol|CPU Utilization: \w{5,6}/|Reverse mode, remote host"
    r"|[sr](?:nd|cv)_tcp_congestion) .{1,200}"
    r"|Time: \w{3}, \d{1,2} .{1,40}|Cookie: [a-z0-9]{30,40}"
    r"|Test Complete\. Summary Results:|Finished omit period, starting real test|Using TCP Autotuning"
    r"|\[ {0,3}(?:\d{1,5}|SUM)\] \((?:sender|receiver) statistics not available\)"
    r"|\[ {0,3}\*?(?:\d{1,5}|SUM)\] local \S{1,80} port \d{1,5} connected (?:to|with) .{1,160}"
    r"|Server listening on (?:TCP port )?\d{1,5}.{0,60}|Accepted connection from \S{1,80}, port \d{1,5}"
)
_PREFIX = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}


class Iperf:
    """Keeps the row that counts of the test that is going on."""

    kind: ClassVar[str] = "iperf"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                *("bits/sec", "Bytes/sec", "\n[ ID][Role] "),
                *(
                    "\nStarting Test: ",
                    "\nCPU Utilization: ",
                    "\nReverse mode, ",
                    "\nTest Complete.",
                    "_tcp_congestion ",
                ),
                *("\nTime: ", "\nCookie: ", "\nFinished omit ", "\nUsing TCP ", " statistics not available)"),
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
        self._best: dict[str, tuple[tuple[bool, bool, float], re.Match[str], Line]] = {}
        """By direction, where both run at once."""
        self._retransmits: dict[str, str] = {}
        self._has_retries = False

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
            self._has_retries = " Rtry " in text if text.startswith("[ ID]") else self._has_retries
            return Use.IGNORED if _BESIDE.fullmatch(text) else Use.NOT_MINE
        return self._row(row, line)

    def _row(self, row: re.Match[str], line: Line) -> Use:
        sent = _RETRANSMITS.match(row["rest"])
        role, is_sum = row["role"] or "", row["id"].startswith("SUM")
        rank = (is_sum, row["rest"].endswith("receiver"), float(row["until"]) - float(row["since"]))
        if sent is not None and (role not in self._retransmits or is_sum):
            self._retransmits[role] = sent["retransmits"]
        if role not in self._best or rank >= self._best[role][0]:
            self._best[role] = rank, row, line
            retries = _RETRIES.fullmatch(row["rest"]) if self._has_retries else None
            if retries is not None:
                self._retransmits[role] = retries["retransmits"]
        return Use.USED

    def _end(self) -> None:
        for role, (_, row, line) in self._best.items():
            if _MOST_EVENTS.has_room(len(self._found)):
                self._found.append(_event(row, self._peer, self._retransmits.get(role, ""), line))
        self._best, self._retransmits = {}, {}

    def finish(self) -> Iterable[JobEvent]:
        self._end()
        return self._found


def _event(row: re.Match[str], peer: str, retransmits: str, line: Line) -> JobEvent:
    bits = _PREFIX[row["rate_unit"]] if row["what"] == "bits" else 8 * _binary(row["rate_unit"])
    groups = {
        "rate_gbit": f"{float(row['rate']) * bits / 1e9:.6g}",
        "bytes": f"{float(row['amount']) * _binary(row['amount_unit']):.0f}",
    }
    lost = _LOST.match(row["rest"])
    if lost is not None:
        groups |= {"lost": lost["lost"], "datagrams": lost["datagrams"]}
    named = {name: text for name, text in (("peer", peer), ("retransmits", retransmits)) if text}
    return JobEvent("iperf-result", "iperf", line.text.strip(), named | groups, line.ref(), line.host)


def _binary(prefix: str) -> float:
    return 1024.0 ** " KMGTP".find(prefix or " ")


PARSER = Iperf

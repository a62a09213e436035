"""What a node's TCP counts: ``nstat`` and ``netstat -s``::

    TcpOutSegs                      81220111           0.0
    TcpRetransSegs                  412                0.0
    TcpExtListenOverflows           3                  0.0

        81220111 segments sent out
        412 segments retransmitted
        3 SYNs to LISTEN sockets dropped

Both count since the node was started; ``nstat`` without ``-a`` counts since its own last run, so rules compare the
numbers of one reading and never their growth.

Source: iproute2 2.6 to 6.17, ``misc/nstat.c``; net-tools 1.60 to 2.10, ``statistics.c`` (which wrote ``send out`` and
``retransmited`` until 2015); ``net/ipv4/proc.c`` of Linux.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _count(match: re.Match[str]) -> int | None:
    return whole(match["value"])


_NSTAT = r"\s{1,32}(?P<value>\d{1,20})\s{1,20}\d{1,15}\.\d(?: \(overflow\))?\s*$"

FACTS = (
    LineFact(
        "tcp-segments-sent",
        "TcpOutSegs",
        rf"TcpOutSegs{_NSTAT}",
        {"TcpOutSegs                      81220111           0.0": 81220111},
        convert=_count,
    ),
    LineFact(
        "tcp-segments-retransmitted",
        "TcpRetransSegs",
        rf"TcpRetransSegs{_NSTAT}",
        {"TcpRetransSegs                  412                0.0": 412},
        convert=_count,
    ),
    LineFact(
        "tcp-timeouts",
        "TcpExtTCPTimeouts",
        rf"TcpExtTCPTimeouts{_NSTAT}",
        {"TcpExtTCPTimeouts               31                 0.0": 31},
        convert=_count,
    ),
    LineFact(
        "tcp-listen-drops",
        "TcpExtListenDrops",
        rf"TcpExtListenDrops{_NSTAT}",
        {"TcpExtListenDrops               3                  0.0": 3},
        convert=_count,
    ),
    LineFact(
        "tcp-segments-sent",
        " segments sen",
        r"(?P<value>\d{1,20}) segments sen[dt] out\s*$",
        {"81220111 segments sent out": 81220111, "81220111 segments send out": 81220111},
        convert=_count,
    ),
    LineFact(
        "tcp-segments-retransmitted",
        " segments retransmit",
        r"(?P<value>\d{1,20}) segments retransmitt?ed\s*$",
        {"412 segments retransmitted": 412, "412 segments retransmited": 412},
        convert=_count,
    ),
    LineFact(
        "tcp-timeouts",
        " other TCP timeouts",
        r"(?P<value>\d{1,20}) other TCP timeouts\s*$",
        {"31 other TCP timeouts": 31},
        convert=_count,
    ),
    LineFact(
        "tcp-listen-drops",
        " SYNs to LISTEN sockets dropped",
        r"(?P<value>\d{1,20}) SYNs to LISTEN sockets dropped\s*$",
        {"3 SYNs to LISTEN sockets dropped": 3},
        convert=_count,
    ),
)


class TcpCounters(ReadingParser):
    """Segments that TCP sent, sent again and gave up waiting for."""

    kind: ClassVar[str] = "tcp-counters"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = ("\nTcp", "\nIp", "\nUdp", "\nIcmp", "\nMPTcp", "\n#kernel", "\n#0.", " listen queue of a socket ")
    legend: ClassVar[re.Pattern[str] | None] = regex(
        rf"(?:(?:Tcp|Ip6?|Udp|Icmp6?|MPTcp)\w{{0,40}}{_NSTAT}|#kernel\s*$"
        r"|\s{2,8}\d{1,20} times the listen queue of a socket overflowed\s*$"
        r"|#\d{1,20}\.\d{1,20} sampling_interval=.{1,60}$|(?:Tcp|Ip|Udp|Icmp|TcpExt|IpExt|UdpLite|MPTcpExt):\s*$)"
    )


PARSER = TcpCounters

"""TCP connections and how much of their data was sent again: ``ss -ti``::

    State  Recv-Q  Send-Q   Local Address:Port    Peer Address:Port
    ESTAB  0       0            10.0.0.1:41022        10.0.0.2:5001
         cubic wscale:7,7 rto:201 rtt:0.2/0.01 mss:8948 bytes_sent:9812201112 bytes_retrans:81201112 retrans:0/9074

What a connection is about stands in the line below it, or behind it (``-O``). Kernels before 4.19 do not count bytes
that were sent again: then it is segments. Connections that carried little say nothing of their losses. ``backoff`` is
there while a connection waits for an answer: how often its timer doubled.

Source: iproute2 4.0 to 6.17, ``misc/ss.c`` (``tcp_stats_print``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_LEAST_BYTES = 100_000_000
_LEAST_SEGMENTS = 50_000
_HEADING = regex(r"(?:Netid\s+)?State\s+Recv-Q\s+Send-Q\s+Local Address:Port\s+Peer Address:Port.{0,40}")
_CONNECTION = regex(
    r"(?:tcp\s+)?(?:ESTAB|(?:CLOSE|TIME|FIN)-WAIT(?:-\d)?|SYN-(?:SENT|RECV)|LAST-ACK|CLOSING|LISTEN)\s+\d{1,12}\s+\d{1,12}"
    r"\s+(?P<local>\S{1,80}:\S{1,6})\s+(?P<peer>\S{1,80}:\S{1,6})(?P<rest>(?:\s.{0,2000})?)"
)
_INFO = regex(r"\s{0,12}(?:(?:ts|usec_ts|sack|ecn|ecnseen|fastopen) )*[a-z][a-z0-9_]{1,15} (?:wscale:|rto:).{0,2000}")
_VALUE = regex(
    r"(?:^| )(?P<name>bytes_sent|bytes_retrans|data_segs_out|retrans|backoff):(?:\d{1,9}/)?(?P<value>\d{1,20})(?= |$)"
)


class SocketStatistics:
    """Remembers the connection whose numbers follow."""

    kind: ClassVar[str] = "ss"
    literals: ClassVar[Literals] = Literals(("Local Address:Port", " rto:0", "ESTAB ", "-WAIT", "LISTEN ", "LAST-ACK "))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._connection: Part | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in (_HEADING, _CONNECTION, _INFO))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        connection = _CONNECTION.fullmatch(line.text)
        if connection is not None:
            self._connection = Part("connection", f"{connection['local']} to {connection['peer']}")
            return self._info(connection["rest"], line) if " rto:" in connection["rest"] else Use.IGNORED
        if _INFO.fullmatch(line.text) and self._connection is not None:
            return self._info(line.text, line)
        return Use.IGNORED if _HEADING.fullmatch(line.text) else Use.NOT_MINE

    def _info(self, text: str, line: Line) -> Use:
        part, self._connection = self._connection, None
        values = {found["name"]: int(found["value"]) for found in _VALUE.finditer(text)}
        sent, again, least = values.get("bytes_sent", 0), values.get("bytes_retrans"), _LEAST_BYTES
        if not sent:
            sent, again, least = values.get("data_segs_out", 0), values.get("retrans"), _LEAST_SEGMENTS
        told = {"tcp-connection-backoff": values["backoff"]} if values.get("backoff") else {}
        lost = {"tcp-connection-retransmitted": round(100 * (again or 0) / sent, 3)} if sent >= least else {}
        if part is None or not (told or lost) or not MAX_READINGS.has_room(len(self._found)):
            return Use.IGNORED
        self._found.extend(reading(name, part, value, line) for name, value in {**told, **lost}.items())
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = SocketStatistics

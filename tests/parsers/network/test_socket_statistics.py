"""ss -ti: how much of a connection's data was sent again."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.network.socket_statistics import SocketStatistics

TEXT = """\
State      Recv-Q Send-Q  Local Address:Port   Peer Address:Port  Process
ESTAB      0      0            10.0.0.1:41022      10.0.0.2:5001
\t cubic wscale:7,7 rto:201 rtt:0.2/0.01 mss:8948 cwnd:10 bytes_sent:9000000000 bytes_retrans:180000000 retrans:0/20116 rcv_space:14480
ESTAB      0      0            10.0.0.1:22         10.0.9.9:50112
\t cubic wscale:7,7 rto:204 rtt:3.8/5.1 mss:1448 cwnd:10 bytes_sent:90000 bytes_retrans:45000 retrans:0/31
CLOSE-WAIT 1      0            10.0.0.1:41040      10.0.0.3:5001
\t ts sack cubic wscale:7,7 rto:201 rtt:0.2/0.01 mss:8948 data_segs_out:100000 retrans:1/50
"""
ONE_LINE = (
    "ESTAB 0 0 [fd00::1]:41022 [fd00::2]:5001 cubic rto:201 rtt:0.1/0.01 mss:8928 bytes_sent:900000000 "
    "segs_out:101 lastsnd:4"
)
LINES = [*TEXT.splitlines(), ONE_LINE]


def said(*lines: str) -> list[tuple[str, Any]]:
    return [(r.part.name, r.value) for r in feed(SocketStatistics, lines)]


def test_connections_that_carried_much() -> None:
    assert said(*TEXT.splitlines()) == snapshot(
        [("10.0.0.1:41022 to 10.0.0.2:5001", 2.0), ("10.0.0.1:41040 to 10.0.0.3:5001", 0.05)]
    )


def test_all_in_one_line() -> None:
    assert said(ONE_LINE) == snapshot([("[fd00::1]:41022 to [fd00::2]:5001", 0.0)])


def test_numbers_without_their_connection_are_nobodys() -> None:
    assert said(TEXT.splitlines()[2]) == []


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert SocketStatistics.wants(text) == SocketStatistics.wants(shape_of(text).decode()), text
        assert not SocketStatistics.wants(text) or SocketStatistics.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(SocketStatistics, lines):
        assert 1 <= r.ref.line <= len(lines)

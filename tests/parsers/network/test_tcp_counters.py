"""nstat and netstat -s: what TCP sent, and sent again."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.network.tcp_counters import FACTS, TcpCounters

NSTAT = """\
#kernel
IpInReceives                    90121212           0.0
TcpOutSegs                      81220111           0.0
TcpRetransSegs                  912021             0.0
TcpExtListenOverflows           3                  0.0
TcpExtListenDrops               3                  0.0
TcpExtTCPTimeouts               31                 0.0
"""
NETSTAT = """\
Tcp:
    1201 active connection openings
    81220111 segments sent out
    912021 segments retransmitted
TcpExt:
    3 SYNs to LISTEN sockets dropped
    31 other TCP timeouts
"""
LINES = [*NSTAT.splitlines(), *NETSTAT.splitlines(), *(line for fact in FACTS for line in fact.samples)]


def test_both_tools_tell_the_same() -> None:
    found = [(r.attribute, r.value) for r in feed(TcpCounters, NSTAT.splitlines())]
    assert sorted(found) == sorted((r.attribute, r.value) for r in feed(TcpCounters, NETSTAT.splitlines()))
    assert found == snapshot(
        [
            ("tcp-segments-sent", 81220111),
            ("tcp-segments-retransmitted", 912021),
            ("tcp-listen-drops", 3),
            ("tcp-timeouts", 31),
        ]
    )


def test_each_sample_gives_its_value() -> None:
    for fact in FACTS:
        for line, value in fact.samples.items():
            assert [r.value for r in feed(TcpCounters, [line])] == [value], line


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    assert TcpCounters.literals is not None
    for text in LINES:
        assert TcpCounters.wants(text) == TcpCounters.wants(shape_of(text).decode()), text
        assert not TcpCounters.wants(text) or TcpCounters.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(TcpCounters, lines):
        assert 1 <= r.ref.line <= len(lines)

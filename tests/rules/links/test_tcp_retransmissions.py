"""TCP that sends much of its data again."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "tcp-retransmissions"
NSTAT = "TcpOutSegs                      {}           0.0\nTcpRetransSegs                  {}             0.0\n"
SS = """\
ESTAB      0      0            10.0.0.1:41022      10.0.0.2:5001
\t cubic wscale:7,7 rto:201 rtt:0.2/0.01 mss:8948 bytes_sent:9000000000 bytes_retrans:{} retrans:0/20116
"""


def test_a_node_that_sends_much_again() -> None:
    assert said(RULE, NSTAT.format(80000000, 2000000)) == snapshot(
        [("link-errors", "warning", "possible", "TCP sent 2.5 % of its segments again")]
    )


def test_a_connection_that_loses_much() -> None:
    assert said(RULE, SS.format(180000000)) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "2.0 % of what a connection sent was sent again: 10.0.0.1:41022 to 10.0.0.2:5001",
            )
        ]
    )


def test_little_traffic_and_little_loss_say_nothing() -> None:
    assert findings_of(RULE, NSTAT.format(9000, 4500)) == ()
    assert findings_of(RULE, NSTAT.format(80000000, 8000)) == ()
    assert findings_of(RULE, SS.format(900000)) == ()


def test_a_connection_that_nobody_answers() -> None:
    line = SS.format(0).replace("rtt:0.2", "backoff:{} rtt:0.2")
    assert said(RULE, line.format(6)) == snapshot(
        [
            (
                "tcp-unreachable",
                "warning",
                "likely",
                "nobody acknowledges what a connection sends: 10.0.0.1:41022 to 10.0.0.2:5001",
            )
        ]
    )
    assert findings_of(RULE, line.format(1)) == ()

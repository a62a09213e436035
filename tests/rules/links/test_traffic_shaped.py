"""Queues of the kernel that hold packets back."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "traffic-shaped"
LIMIT = "# tc -s qdisc show dev eth0\nqdisc tbf 8001: root refcnt 2 rate 10Gbit burst 5Mb lat 50ms\n"
COUNTS = " Sent 884221334455 bytes 612334455 pkt (dropped 0, overlimits {} requeues 12)\n"


def test_packets_that_wait_for_a_limit() -> None:
    assert said(RULE, LIMIT + COUNTS.format(9000)) == snapshot(
        [("traffic-shaped", "warning", "likely", "packets wait for the limit of a queue: 10 Gb/s at eth0 tbf 8001")]
    )


def test_a_limit_without_counts_is_only_possible() -> None:
    assert said(RULE, LIMIT) == snapshot(
        [("traffic-shaped", "warning", "possible", "a queue limits an interface: 10 Gb/s at eth0 tbf 8001")]
    )


def test_a_delay_that_somebody_forgot() -> None:
    text = "qdisc netem 8002: dev eth1 root refcnt 2 limit 1000 delay 10ms loss 1%\n"
    assert said(RULE, text) == snapshot(
        [
            (
                "traffic-shaped",
                "warning",
                "likely",
                "netem spoils packets on purpose: 10 ms more at eth1 netem 8002 and 1 % lost at eth1 netem 8002",
            )
        ]
    )


def test_a_limit_that_holds_nothing_back_raises_nothing() -> None:
    assert findings_of(RULE, LIMIT + COUNTS.format(0)) == ()
    assert findings_of(RULE, "# ethtool eth0\n\tSpeed: 10000Mb/s\n" + LIMIT + COUNTS.format(9000)) == ()

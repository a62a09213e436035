from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "tcp-throughput"
START = "Connecting to host gpu02, port 5201\n"
NOTHING = (
    "[  5]   0.00-2.00   sec   265 KBytes  1.09 Mbits/sec    3             sender\n"
    "[  5]   0.00-2.00   sec  0.00 Bytes  0.00 bits/sec                  receiver\n"
)


def sent(amount: str, rate: str, again: int) -> str:
    return f"{START}[  5]   0.00-10.00  sec  {amount}  {rate}  {again}             sender\n"


def test_a_connection_that_carries_nothing_is_one_whose_long_packets_do_not_pass() -> None:
    assert said(RULE, START + NOTHING) == snapshot(
        [("mtu-mismatch", "error", "possible", "to gpu02: connects and then carries nothing: long packets do not pass")]
    )


def test_segments_that_were_sent_again() -> None:
    assert said(RULE, sent("10.9 GBytes", "9.36 Gbits/sec", 91_201)) == snapshot(
        [("link-errors", "warning", "possible", "to gpu02: 1.1% of the packets were lost at 9.36 Gb/s")]
    )
    assert findings_of(RULE, sent("10.9 GBytes", "9.36 Gbits/sec", 120)) == ()


def test_datagrams_that_were_lost() -> None:
    row = "[  5]   0.00-2.00   sec  1.57 GBytes  6.74 Gbits/sec  0.004 ms  {}/1624201 (28%)  receiver\n"
    assert said(RULE, START + row.format(460_120)) == snapshot(
        [("link-errors", "warning", "possible", "to gpu02: 28.3% of the packets were lost at 6.74 Gb/s")]
    )
    assert findings_of(RULE, START + row.format(12)) == ()


def test_a_port_of_the_management_network() -> None:
    assert said(RULE, sent("1.09 GBytes", "936 Mbits/sec", 0)) == snapshot(
        [
            (
                "socket-interface-wrong",
                "warning",
                "possible",
                "to gpu02: 0.94 Gb/s is what a port of 1 Gb/s carries: this is not the fast network",
            )
        ]
    )


def test_a_fast_port_without_losses() -> None:
    assert findings_of(RULE, sent("109 GBytes", "94.0 Gbits/sec", 0)) == ()


def test_what_to_do() -> None:
    assert remedies_of(RULE, START + NOTHING) == snapshot(
        [
            [
                ("See which interface the traffic takes, and its MTU and errors.", "ip route get gpu02; ip -s link"),
                ("See whether long packets pass uncut.", "ping -M do -s 8972 -c 3 -- gpu02"),
            ]
        ]
    )

from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node
from text_findings import COLUMNS, HEADER, findings_of, remedies_of, said

RULE = "fabric-congestion"
FILES = {
    "np_cnp_sent": "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent",
    "xmit_wait": "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_wait",
    "discards": "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_discards",
}


def counted(**values: int) -> str:
    return node(1, *(f"{FILES[name]}:{value}" for name, value in values.items()))


def swinging(*busbw: float) -> str:
    """One size, repeated on two nodes: the mean of each repetition."""
    devices = "".join(
        f"#  Rank {rank:2} Group  0 Pid {4000 + rank} on gpu0{rank + 1} device  0 [0000:1b:00] GPU X\n"
        for rank in (0, 1)
    )
    rows = "".join(
        f"   134217728  33554432 float   sum    -1 {134217.728 / bw:7.1f} {bw:7.2f} {bw:7.2f}       0 "
        f"{134217.728 / bw:7.1f} {bw:7.2f} {bw:7.2f}       0\n"
        for bw in busbw
    )
    return HEADER + devices + COLUMNS + rows


UNSTEADY = swinging(40, 41, 12, 40, 15, 41, 40, 11)
STEADY = swinging(40, 41, 40, 40, 41, 40)


def test_discards_during_an_unsteady_run() -> None:
    assert said(RULE, counted(discards=1) + UNSTEADY + counted(discards=900)) == snapshot(
        [
            (
                "fabric-congestion",
                "error",
                "likely",
                "gpu01: packets discarded because the port was down or congested grew during the run while bandwidth was unsteady",
            )
        ]
    )


def test_notifications_during_an_unsteady_run() -> None:
    assert said(RULE, counted(np_cnp_sent=1) + UNSTEADY + counted(np_cnp_sent=900)) == snapshot(
        [
            (
                "fabric-congestion",
                "warning",
                "possible",
                "gpu01: congestion notifications sent grew during the run while bandwidth was unsteady",
            )
        ]
    )


def test_silent_while_bandwidth_is_steady() -> None:
    assert findings_of(RULE, counted(discards=1) + STEADY + counted(discards=900)) == ()


def test_silent_on_waiting_alone_and_on_totals() -> None:
    assert findings_of(RULE, counted(xmit_wait=1) + UNSTEADY + counted(xmit_wait=9_000_000)) == ()
    assert findings_of(RULE, UNSTEADY + counted(discards=900)) == ()


def paused(pauses: int, packets: int) -> str:
    return (
        f"root@gpu01:~# ethtool -S ens1np0\nNIC statistics:\n     tx_packets_phy: {packets}\n"
        f"     rx_prio3_pause: {pauses}\n"
    )


def test_pauses_for_a_great_part_of_what_is_sent() -> None:
    text = paused(1000, 1_000_000) + paused(61_000, 3_000_000)
    assert said("fabric-congestion", text) == snapshot(
        [
            (
                "fabric-congestion",
                "error",
                "likely",
                "gpu01: PFC pause frames received grew by 3.0% of the packets sent: the fabric holds them back",
            )
        ]
    )
    assert findings_of("fabric-congestion", paused(1000, 1_000_000) + paused(11_000, 3_000_000)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, counted(discards=1) + UNSTEADY + counted(discards=900)) == snapshot(
        [
            [
                (
                    "Measure pairs alone: fine alone and slow together means congestion.",
                    "ib_write_bw -d HCA --report_gbits PEER",
                ),
                ("Read pauses and discards of the hosts' ports.", "ethtool -S IF | grep -E 'pause|discard'"),
            ]
        ]
    )


def _counters(pauses: int, discards: int) -> str:
    return f"$ ethtool -S eth4\nNIC statistics:\n     tx_prio3_pause: {pauses}\n     rx_discards_phy: {discards}\n"


def test_a_port_that_drops_packets_while_it_asks_for_a_pause() -> None:
    assert said(RULE, _counters(7, 5) + _counters(900, 800)) == snapshot(
        [
            (
                "fabric-congestion",
                "warning",
                "possible",
                "packets discarded by the port on receive and PFC pause frames sent grew between two readings: a port asked its senders to pause, and dropped packets",
            )
        ]
    )
    assert said(RULE, _counters(7, 5) + _counters(900, 5)) == []  # pauses alone are how it works
    assert said(RULE, _counters(7, 5) + _counters(7, 800)) == []
    assert said(RULE, _counters(900, 800)) == []


def test_somebody_measured_pairs_alone_and_all_together() -> None:
    words = "two hosts alone reach 46.1 GB/s, and all of them 12 GB/s in the alltoall\n"
    assert said(RULE, words + counted(np_cnp_sent=1) + counted(np_cnp_sent=900)) == snapshot(
        [
            (
                "fabric-congestion",
                "error",
                "likely",
                "gpu01: congestion notifications sent grew between two readings, and somebody measured 46.1 GB/s alone, 12 GB/s together",
            )
        ]
    )
    assert findings_of(RULE, words + counted(np_cnp_sent=9) + counted(np_cnp_sent=9)) == ()
    for other in (words.replace("12 GB/s", "41 GB/s"), words.replace("12 GB/s", "12 Gb/s"), "if " + words):
        assert findings_of(RULE, other + counted(np_cnp_sent=1) + counted(np_cnp_sent=900)) == (), other

"""HCAs that were at work before the run was: whose traffic it is, and when nobody is accused."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "traffic-of-others"
START = 1_795_000_000
WORDS = 4
"""Bytes that one step of a port's data counters stands for."""


def watched(*samples: tuple[int, float, int], more: str = "") -> str:
    """``(second, processor time of the run in %, MB sent on mlx5_2 by then)`` of node07."""
    text = ""
    for second, own, sent in samples:
        text += f"slowlink-sample {START + second}.00 every 1 s\n"
        if second:
            text += f"cpu 10.0 % of 64 cores busy, {own:.1f} % of one core by this run\n"
        text += f"/sys/class/infiniband/mlx5_2/ports/1/counters/port_xmit_data:{sent * 10**6 // WORDS}\n" + more
    return "".join(f"node07: {line}\n" for line in text.splitlines())


def test_an_hca_at_work_before_the_ranks() -> None:
    text = watched((0, 0, 0), (1, 0, 9_400), (2, 900, 60_000), (3, 1200, 99_000))
    assert said(RULE, text) == snapshot(
        [
            (
                "network-busy",
                "warning",
                "likely",
                "node07: mlx5_2 carried 9,400 MB/s for 1 second before any rank of this run worked there",
            )
        ]
    )


def test_who_holds_queue_pairs_there_is_named() -> None:
    holder = "process 4715 storage-agent 12.0 queue pairs on mlx5_2\nprocess 4716 other 1.0 queue pairs on mlx5_3\n"
    (found,) = findings_of(RULE, watched((0, 0, 0), (1, 0, 9_400), (2, 900, 60_000), more=holder))
    assert found.message == snapshot(
        "node07: mlx5_2 carried 9,400 MB/s for 1 second before any rank of this run worked there; storage-agent has connected queue pairs there"
    )
    assert [(each.kind, each.name) for each in found.suspects] == snapshot(
        [("process", "storage-agent"), ("node", "node07"), ("hca", "node07 mlx5_2")]
    )
    assert [(step.text, step.command) for step in found.remedy] == snapshot(
        [("See who holds queue pairs there while nothing of yours runs.", "rdma resource show qp link mlx5_2")]
    )


def test_little_of_the_rate_of_a_link_is_no_neighbour() -> None:
    rate = "/sys/class/infiniband/mlx5_2/ports/1/rate:400 Gb/sec (4X NDR)\n"
    assert findings_of(RULE, watched((0, 0, 0), (1, 0, 2_400), (2, 900, 60_000), more=rate)) == ()
    assert len(findings_of(RULE, watched((0, 0, 0), (1, 0, 2_600), (2, 900, 60_000), more=rate))) == 1
    assert findings_of(RULE, watched((0, 0, 0), (1, 0, 490), (2, 900, 60_000))) == ()


def test_what_the_run_carries_itself_accuses_nobody() -> None:
    assert findings_of(RULE, watched((0, 0, 0), (1, 90, 9_400), (2, 900, 60_000))) == ()


def test_without_a_run_nobody_can_tell_whose_it_is() -> None:
    assert findings_of(RULE, watched((0, 0, 0), (1, 0, 9_400), (2, 0, 60_000))) == ()

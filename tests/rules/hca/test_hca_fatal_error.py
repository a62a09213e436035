"""An HCA that stopped with a fatal error."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FATAL = "node07:4000:4100 [0] transport/net_ib/common.cc:100 NCCL WARN NET/IB : mlx5_3:1 async fatal event: {}\n"


def test_names_the_hca_and_its_node() -> None:
    assert said("hca-fatal-error", FATAL.format("local catastrophic error")) == snapshot(
        [("hca-fatal-error", "critical", "certain", "node07: HCA mlx5_3 stopped with a fatal error")]
    )


def test_a_fatal_event_of_a_queue_pair_is_not_one_of_the_hca() -> None:
    assert findings_of("hca-fatal-error", FATAL.format("local access violation work queue error")) == ()


def test_the_older_words() -> None:
    line = "node07:4000:4100 [0] misc/net_ib.cc:90 NCCL WARN NET/IB : Got async event : local catastrophic error\n"
    assert [f.message for f in findings_of("hca-fatal-error", line)] == snapshot(
        ["node07: an HCA stopped with a fatal error"]
    )

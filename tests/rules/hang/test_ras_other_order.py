"""A rank that is behind in one collective and ahead in another."""

from __future__ import annotations

from hang_findings import of_texts, said
from inline_snapshot import snapshot

import ras_answers as ras

RULE = "ras-other-order"


def _answer(reduced: int, gathered: int) -> str:
    """Seven ranks launched AllReduce up to 5120 and AllGather up to 88; rank 6 up to these."""
    rank = "-- GPU 2 managed by process 40991 on node 10.3.0.12"
    return (
        ras.VERSION
        + ras.JOB
        + ras.BEHIND
        + f"""
Warnings
========

#0-0 (a2f1be310cd8b7f4) MISMATCH
  Communicator ranks have different AllReduce operation counts
  7 ranks have launched up to operation 5120
  Rank 6 has launched up to operation {reduced} {rank}
  Communicator ranks have different AllGather operation counts
  7 ranks have launched up to operation 88
  Rank 6 has launched up to operation {gathered} {rank}
"""
    )


def test_behind_in_one_and_ahead_in_another_is_another_order() -> None:
    assert said(of_texts(RULE, ("a.txt", _answer(5119, 89))).findings) == snapshot(
        [
            (
                "collective-mismatch",
                "critical",
                "likely",
                "rank 6 is behind the others in AllReduce and ahead of them in AllGather: other collectives, or in another order, on one communicator",
                ["rank 6", "node 10.3.0.12"],
            )
        ]
    )
    assert of_texts(RULE, ("a.txt", _answer(5121, 87))).findings


def test_behind_or_ahead_in_both_is_a_moment() -> None:
    assert of_texts(RULE, ("a.txt", _answer(5119, 87))).findings == ()
    assert of_texts(RULE, ("a.txt", _answer(5121, 89))).findings == ()
    assert of_texts(RULE, ("a.txt", ras.answer(41, 40))).findings == ()

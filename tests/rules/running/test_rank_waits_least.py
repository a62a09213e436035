from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said

RULE = "rank-waits-least"


def waits(**of: float) -> str:
    """``r3_gx02=2.1``: rank 3 on gx02 waits 2.1 s."""
    rows = "".join(
        f"rank {name.partition('_')[0][1:]} ({name.partition('_')[2]}) waits {value} s\n" for name, value in of.items()
    )
    return rows.replace(" ()", "")


def test_the_rank_that_waits_least_is_the_one_that_others_wait_for() -> None:
    assert said(RULE, waits(r0_=21.3, r1_=21.9, r2_=2.1, r3_=20.8)) == snapshot(
        [
            (
                "straggler-gpu",
                "error",
                "possible",
                "rank 2 waits 2.1 s, the middle of the other 3 21.3 s: the others wait for it",
            )
        ]
    )


def test_all_ranks_of_one_node() -> None:
    of = {f"r{n}_gx0{n // 4 + 1}": 2.0 if n // 4 == 1 else 20.0 for n in range(16)}
    assert said(RULE, waits(**of)) == snapshot(
        [
            (
                "straggler-node",
                "error",
                "possible",
                "all 4 ranks on gx02 wait 2 s, the middle of the other 12 20 s: the others wait for them",
            )
        ]
    )


def test_nobody_is_accused() -> None:
    assert said(RULE, waits(r0_=21.3, r1_=21.9, r2_=20.1, r3_=20.8)) == []
    assert said(RULE, waits(r0_=21.3, r1_=21.9, r2_=2.1)) == []
    assert said(RULE, waits(r0_=21.3, r1_=12.0, r2_=2.1, r3_=20.8)) == []  # of many kinds
    assert said(RULE, waits(**{f"r{n}_": 2.0 if n % 3 else 20.0 for n in range(12)})) == []  # stages
    assert said(RULE, waits(r0_=0.0004, r1_=0.0005, r2_=0.00001, r3_=0.0005)) == []

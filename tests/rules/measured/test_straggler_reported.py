"""What Megatron-LM's straggler detector says of ranks."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "straggler-reported"


def report(*, slow: int, most: float = 735.0, clock: str = "1965MHz/14", hot: str = "61C/19") -> str:
    return (
        f" 0: INFO:megatron.core.utils:[2031-05-06 03:14:32] | MnRtt/Rnk: 630.50ms/13 | MxRtt/Rnk: {most:.2f}ms/{slow} | "
        f"MnPwr/Rnk: 617923W/0 | MxPwr/Rnk: 669787W/20 | MnTmp/Rnk: 50C/0 | MxTmp/Rnk: {hot} | MnUtl/Rnk: 95%/20 | "
        f"MxUtl/Rnk: 100%/3 | MnClk/Rnk: {clock} | MxClk/Rnk: 1980MHz/0 | MnDRtt/Rnk: 1.22ms/15 | "
        f"MxDRtt/Rnk: 13.33ms/23 | MnEtpt/Rnk: 360.82TF/30 | MxEtpt/Rnk: 408.83TF/13\n"
    )


EVEN = report(slow=30, most=640) + report(slow=7, most=641) + report(slow=22, most=639)


def test_a_rank_whose_clock_is_low() -> None:
    slow = report(slow=43, most=1166.6, clock="1155MHz/43", hot="89C/43")
    assert said(RULE, EVEN * 9 + slow * 4) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "error",
                "likely",
                "rank 43 is the slowest in 4 reports on end of 31: 1167 ms for its own operations, 1.9 times the quickest; its clock is 1155 of 1980 MHz at 89 C",
            )
        ]
    )


def test_a_rank_that_is_slow_for_a_reason_that_is_not_told() -> None:
    assert said(RULE, report(slow=43, most=1166.6) * 3) == snapshot(
        [
            (
                "straggler-gpu",
                "error",
                "likely",
                "rank 43 is the slowest in 3 reports on end of 3: 1167 ms for its own operations, 1.9 times the quickest",
            )
        ]
    )


def test_ranks_that_change_places_are_even() -> None:
    assert findings_of(RULE, EVEN * 20) == ()
    assert findings_of(RULE, (report(slow=43, most=900) + report(slow=7, most=900)) * 20) == ()


def test_one_that_is_the_slowest_by_little_is_no_straggler() -> None:
    assert findings_of(RULE, report(slow=43, most=660) * 20) == ()

"""The last line of a file of accl-profiler."""

from __future__ import annotations

import pytest
from accl_lines import line, name_of, summary

from slowlink.model.timed_calls import TimedCalls
from slowlink.parsers.nccl.accl_profiler import TAKER as CALLS
from slowlink.parsers.nccl.accl_summary import TAKER as SUMMARIES


def taken(*lines: str, first: type[CALLS] = CALLS) -> list[TimedCalls]:
    taker = first(name_of())
    assert all(taker.take(each.encode(), number) for number, each in enumerate(lines, 1))
    return list(taker.finish())


@pytest.mark.parametrize(
    ("last", "lost", "unfinished"),
    [
        ((), "", True),
        ((summary(),), "", False),
        (
            (summary(complete=False, dropped_collectives=1200, leaked_collectives=1),),
            "1,200 collectives dropped, 1 not seen to end",
            False,
        ),
        ((summary(complete=False),), "it says that it is not complete", False),
        (
            (summary(dropped_proxy_ops=2, dropped_proxy_steps=3, complete=False),),
            "2 operations of the proxy dropped, 3 steps of the proxy dropped",
            False,
        ),
        ((summary(overflow_proxy_ops=4),), "4 operations of the proxy beyond its limit", False),
        ((summary(), line(number=18)), "", True),
    ],
)
def test_what_the_summary_says(last: tuple[str, ...], lost: str, unfinished: bool) -> None:
    (calls,) = taken(line(), *last)
    assert (calls.lost, calls.unfinished) == (lost, unfinished)


def test_whoever_finds_the_first_line_takes_the_others_too() -> None:
    """A file that a reader met at its end."""
    assert [calls.lost for calls in taken(summary(leaked_collectives=1), line(), summary(), first=SUMMARIES)] == [""]
    assert CALLS.kind == SUMMARIES.kind


@pytest.mark.parametrize("count", ["-1", str(1 << 63), "9" * 4200])
def test_what_nobody_can_have_counted_is_no_summary(count: str) -> None:
    last = summary(dropped_collectives=7).replace(":7,", f":{count},")
    taker = CALLS(name_of())
    assert taker.take(line().encode(), 1)
    assert not taker.take(last.encode(), 2)
    (calls,) = taker.finish()
    assert (calls.lost, calls.unfinished) == ("", True)


def test_a_summary_alone_is_of_no_calls() -> None:
    assert taken(summary(dropped_collectives=9), first=SUMMARIES) == []

"""Traces of a profiler put beside one another: only what is of the same times, and what can be lined up."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from slowlink.facts.timed import timed
from slowlink.model.source import Ref
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import KINETO, CallKind, TimedCalls

CALL = CallKind("all_reduce", 1024)
OTHER = CallKind("all_reduce", 64)


def traced(
    rank: int,
    times: Sequence[float],
    *,
    at: float = 1000.0,
    numbers: Sequence[int] | None = None,
    kinds: Sequence[CallKind] = (),
    source: str = "",
    host: str | None = None,
    pid: int | None = None,
) -> TimedCalls:
    """A trace whose calls end a second apart from ``at`` on. ``numbers``: None where they are only counted."""
    known = tuple(dict.fromkeys(kinds)) or (CALL,)
    return TimedCalls(
        tool=KINETO,
        comm="0 [0, 1, 2]",
        comm_name="0",
        rank=rank,
        nranks=3,
        nnodes=None,
        host=host,
        pid=pid,
        world_rank=rank,
        gpu=rank,
        kinds=known,
        kind=array("H", [known.index(kind) for kind in kinds] or [0] * len(times)).tobytes(),
        number=array("I", numbers if numbers is not None else [0] * len(times)).tobytes(),
        time_us=array("f", times).tobytes(),
        ended=array("d", [at + place for place in range(len(times))] if at else [0.0] * len(times)).tobytes(),
        timed_by={"kernel_gpu": len(times)},
        ref=Ref(source or f"rank{rank}-{at}.json", 1),
        counted=numbers is None,
    )


def known(*columns: TimedCalls) -> Timed:
    found = timed(columns)
    assert found is not None
    return found


def tables(found: Timed) -> list[list[list[float]]]:
    return [calls.times_us.tolist() for group in found.groups for calls in group.calls]


def test_calls_without_numbers_are_lined_up_by_their_places_of_a_kind() -> None:
    kinds = [OTHER, CALL, CALL]
    found = known(traced(0, [9, 1, 2], kinds=kinds), traced(1, [8, 3, 4], kinds=kinds))
    assert tables(found) == [[[9, 8]], [[1, 3], [2, 4]]]
    assert found.unclear == ()


def test_other_counts_of_a_kind_are_unclear() -> None:
    """As where the profiler of a rank began later; that the kind has no call 0 of the trace makes no difference."""
    kinds = [OTHER, *[CALL] * 20]
    found = known(traced(0, [9.0] * 21, kinds=kinds), traced(1, [9.0] * 20, kinds=kinds[:-1]))
    assert tables(found) == [[[9, 9]]]
    assert "as many calls of all_reduce of 1,024 bytes" in found.unclear[0]


def test_a_trace_without_a_kind_that_the_others_have_is_unclear() -> None:
    found = known(*(traced(rank, [9, 9], kinds=[CALL, OTHER]) for rank in range(2)), traced(2, [9, 9]))
    assert tables(found) == []
    assert len(found.unclear) == 2


def test_traces_of_several_times_are_not_mixed() -> None:
    """The second of rank 2 is missing: its first is held against the first ones alone."""
    first = [traced(rank, [50, 51]) for rank in range(3)]
    found = known(*first, *(traced(rank, [450, 451], at=2000) for rank in range(2)))
    (table,) = tables(found)
    np.testing.assert_array_equal(table, [[50, 50, 50], [51, 51, 51], [450, 450, np.nan], [451, 451, np.nan]])


def test_pauses_between_traces_are_no_time_of_the_job() -> None:
    (group,) = known(*(traced(rank, [9, 9], at=at) for rank in range(2) for at in (1000, 2000))).groups
    assert group.calls[0].ended.tolist() == [1000, 1001, 2000, 2001]
    assert group.calls[0].recorded.tolist() == [1000, 1001, 1001, 1002]


@pytest.mark.parametrize("at", [1003.0, 1030.0])
def test_a_trace_of_other_times_is_unclear(at: float) -> None:
    found = known(*(traced(rank, [9.0] * 20) for rank in range(2)), traced(2, [1.0] * 20, at=at))
    assert [len(table[0]) for table in tables(found)] == [2]
    assert "rank 2 is over other times" in found.unclear[0]


def test_clocks_of_nodes_may_differ_a_little() -> None:
    found = known(traced(0, [9.0] * 20), traced(1, [9.0] * 20, at=1001))
    assert len(found.groups[0].calls[0].numbers) == 20


def test_calls_without_times_and_numbers_are_unclear() -> None:
    found = known(traced(0, [9, 9], at=0), traced(1, [9, 9], at=0))
    assert tables(found) == []
    assert "do not tell when" in found.unclear[0]


@pytest.mark.parametrize("numbers", [None, [4, 5]])
def test_two_jobs_at_once_without_hosts_are_unclear(numbers: list[int] | None) -> None:
    jobs = [traced(rank, [9, 9], numbers=numbers, source=f"{job}{rank}") for job in "ab" for rank in range(2)]
    found = known(*jobs)
    assert tables(found) == []
    assert "several traces of one process" in found.unclear[0]


def test_two_jobs_at_once_on_two_hosts_are_unclear() -> None:
    found = known(*(traced(0, [9, 9], numbers=[4, 5], host=host, pid=7) for host in ("a", "b")))
    assert tables(found) == []
    assert "the same rank" in found.unclear[0]


def test_a_job_that_was_started_again_is_another_one() -> None:
    found = known(
        *(traced(rank, [9, 9], host="a", pid=10 + rank) for rank in range(2)),
        *(traced(rank, [8, 8], host="a", pid=20 + rank, at=2000) for rank in range(2)),
    )
    assert tables(found) == [[[9, 9], [9, 9]], [[8, 8], [8, 8]]]
    assert found.unclear == ()


def test_numbers_line_up_traces_that_begin_at_other_calls() -> None:
    (group,) = known(
        traced(0, [1, 2, 3], numbers=[4, 5, 6]),
        traced(0, [7], numbers=[7], at=1002, source="next"),
        traced(1, [20, 30, 70], numbers=[5, 6, 7], at=1001),
    ).groups
    assert group.calls[0].numbers.tolist() == [5, 6, 7]
    assert group.calls[0].times_us.tolist() == [[2, 20], [3, 30], [7, 70]]


def at_the_ends(rank: int, ends: Sequence[float], kinds: Sequence[CallKind] = ()) -> TimedCalls:
    return replace(traced(rank, [9.0] * len(ends), kinds=kinds), ended=array("d", ends).tobytes())


def in_steps(calls: int, clock: float = 0.0) -> list[float]:
    """Five calls a step, and a pause between two steps."""
    return [1000 + clock + call + 5 * (call // 5) for call in range(calls)]


def test_as_many_calls_that_are_others_are_unclear() -> None:
    """The profiler of rank 1 began a call later, and ended a call later."""
    found = known(at_the_ends(0, in_steps(40)), at_the_ends(1, in_steps(41)[1:]))
    assert tables(found) == []
    assert "other calls in the same places" in found.unclear[0]


def test_calls_in_another_order_are_unclear() -> None:
    one, other = in_steps(8), [CALL, OTHER] * 4
    found = known(at_the_ends(0, one, other), at_the_ends(1, one, other[::-1]))
    assert tables(found) == []


@pytest.mark.parametrize("clock", [0.0, 3.0])
def test_the_same_calls_by_another_clock_are_lined_up(clock: float) -> None:
    """One of them is written down late."""
    late = in_steps(40, clock)
    late[20] += 0.5
    found = known(at_the_ends(0, in_steps(40)), at_the_ends(1, late))
    assert [len(calls.numbers) for group in found.groups for calls in group.calls] == [40]
    assert found.unclear == ()

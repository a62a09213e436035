"""How late each rank comes, and which of it is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from made_up import calls, group, job
from msgspec.structs import replace

from slowlink.expect.held_up.lateness import Lateness, after_the_others, lateness_of, of_part
from slowlink.expect.held_up.marks import Mark, Tolerances, alike_of, marks_of, share_of
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import CallKind
from slowlink.rules.running.collectives_held_up import Params

WHOLE = slice(0, 1000)
TOLERANCES = Params().tolerances()


def lateness(times_us: Sequence[Sequence[float]], pace_s: float = 0.005) -> Lateness:
    (found,) = lateness_of(0, group(0, range(len(times_us[0])), [calls(times_us, pace_s=pace_s)]), WHOLE, 1)
    return found


def test_all_that_is_told_of_the_members_of_a_communicator() -> None:
    found = lateness([[10, 20, 30, 40, 50], [30, 10, 30, 40, 50], [20, 30, 30, 40, 90]], pace_s=1.0)
    assert found.us.tolist() == [10, 10, 0, -10, -20]
    assert found.total_us.tolist() == [30, 30, 0, -30, -60]
    assert found.last.round(2).tolist() == [0.67, 0.33, 0, 0, 0]
    assert found.later.round(2).tolist() == [0.67, 0.67, 0, 0, 0]
    assert found.error_us.round(2).tolist() == [10.7, 10.7, 0, 0, 0]
    assert (found.typical_us, found.calls, found.elapsed_us) == (30, 3, 2e6)


def test_a_member_of_which_records_are_missing_has_fewer_calls() -> None:
    found = lateness([[10, 30, 30], [10, 30, np.nan], [10, 30, np.nan], [10, 30, 34]])
    assert found.total_us.tolist() == [80, -15 * 4, -12 * 2]
    assert found.last.tolist() == [1, 0, 0]
    assert found.later.tolist() == [1, 0, 0]
    assert found.error_us[2] == pytest.approx(1.25 * 1.4826 * 2 / 2**0.5)


def test_among_few_each_is_held_against_the_others_alone() -> None:
    assert after_the_others(np.array([[10.0, 20.0, 40.0]])).tolist() == [[20, 5, -25]]
    assert after_the_others(np.array([[10.0, 20.0, 30.0, 40.0]])).tolist() == [[20, 10, -10, -20]]
    assert after_the_others(np.array([[10.0, 20.0, 30.0, 40.0, 50.0]])).tolist() == [[20, 10, 0, -10, -20]]


def test_parts_are_told_in_per_mille() -> None:
    values = np.arange(10)
    assert of_part(values, slice(750, 1000)).tolist() == [7, 8, 9]
    assert of_part(values, slice(0, 250)).tolist() == [0, 1]


def kinds_of(counts: dict[str, int], fewest: int, part: slice = WHOLE) -> list[tuple[int, int]]:
    """Of communicators with so many calls of these: how many kinds and calls each lateness is of."""
    tables = [calls([[10, 20]] * count, CallKind(name, size)) for size, (name, count) in enumerate(counts.items())]
    return [(len(one.kinds), one.calls) for one in lateness_of(0, group(0, (0, 1), tables), part, fewest)]


def test_rare_kinds_of_calls_are_taken_together() -> None:
    counts = {"all_reduce": 8, "all_gather": 7, "alltoall": 1}
    assert kinds_of(counts, 8) == [(1, 8), (2, 8)]
    assert kinds_of(counts, 9) == [(3, 16)]
    assert kinds_of(counts, 17) == []
    assert kinds_of(counts, 4, slice(500, 1000)) == [(1, 4), (1, 4)]
    assert kinds_of({"all_reduce": 8, "all_gather": 7}, 8) == [(1, 8)]


def test_only_calls_in_which_all_wait_for_all_are_taken() -> None:
    assert kinds_of({"broadcast": 8, "reduce": 8, "send": 8}, 1) == []


def test_calls_that_were_written_down_at_once_took_as_long_as_the_pace_of_all_tells() -> None:
    table = calls([[10, 20]] * 10, pace_s=1.0)
    at_once = replace(table, recorded=np.where(np.arange(10) < 5, 1000.0, 1010.0))
    (found,) = lateness_of(0, group(0, (0, 1), [at_once]), slice(500, 1000), 1)
    assert found.elapsed_us == 5e6
    (found,) = lateness_of(0, group(0, (0, 1), [replace(table, recorded=table.recorded * 0)]), WHOLE, 1)
    assert found.elapsed_us == 0


def test_the_share_of_the_time_is_told_where_the_calls_took_less_than_all_of_it() -> None:
    assert share_of(lateness([[10, 30]] * 11, pace_s=1e-4), 0) == pytest.approx(0.22)
    assert share_of(lateness([[10, 30]] * 11, pace_s=2.1e-5), 0) is None
    assert share_of(lateness([[10, 30]] * 11, pace_s=2.3e-5), 0) is not None


COUNT = 20


def late_by(us: float, ranks: int = 8, of_calls: float = 1.0) -> list[list[float]]:
    """Of the first member, in a share of the calls; in the others it comes 60 us before its like."""
    return [
        [
            1000 + (number * 7 + rank * 3) % 5 + (us * (rank != 0) if number < of_calls * COUNT else 60 * (rank == 0))
            for rank in range(ranks)
        ]
        for number in range(COUNT)
    ]


def one_communicator(times_us: Sequence[Sequence[float]], pace_s: float = 0.002) -> Timed:
    return job(["node01"] * len(times_us[0]), [group(0, range(len(times_us[0])), [calls(times_us, pace_s=pace_s)])])


def marks(known: Timed, tolerances: Tolerances = TOLERANCES) -> list[Mark]:
    each = [one for number, group in enumerate(known.groups) for one in lateness_of(number, group, WHOLE, 8)]
    return list(marks_of(known, each, tolerances))


def test_a_late_member_is_marked_with_what_it_costs() -> None:
    (mark,) = marks(one_communicator(late_by(400)))
    assert (mark.process, mark.member, mark.apart) == (0, 0, True)
    assert mark.total_us == pytest.approx(400 * COUNT, rel=0.01)


@pytest.mark.parametrize(("us", "marked"), [(105, False), (125, True)])
def test_what_is_little_of_a_call_is_not_marked(us: float, marked: bool) -> None:
    """A tenth of 1.1 ms, with the waiting."""
    assert bool(marks(one_communicator(late_by(us)))) == marked


@pytest.mark.parametrize(("us", "marked"), [(280, False), (320, True)])
def test_what_is_little_of_the_time_of_the_job_is_not_marked(us: float, marked: bool) -> None:
    """3 % of 10 ms from call to call."""
    assert bool(marks(one_communicator(late_by(us), pace_s=0.01))) == marked


@pytest.mark.parametrize(("of_calls", "marked"), [(0.7, False), (0.75, True)])
def test_who_comes_late_to_most_calls_alone_is_not_marked(of_calls: float, marked: bool) -> None:
    wide = TOLERANCES._replace(false_alarms=0.9)  # calls that differ so much show little
    assert bool(marks(one_communicator(late_by(400, of_calls=of_calls)), wide)) == marked


def test_who_is_late_by_no_more_than_his_calls_differ_is_not_marked() -> None:
    """In the middle by 300 us; the calls differ by as much."""
    swinging = [
        [1000 + (300 + 900 * ((-1) ** number) * (number % 3)) * (rank != 0) + rank for rank in range(8)]
        for number in range(COUNT)
    ]
    loose = TOLERANCES._replace(later_share=0.0)
    assert marks(one_communicator(swinging), loose) == []


@pytest.mark.parametrize(("sigmas", "marked"), [(5.0, False), (5.25, True)])
def test_half_of_the_false_alarms_that_are_allowed_are_those_of_late_ranks(sigmas: float, marked: bool) -> None:
    """Of eight ranks in 0.25 % of the jobs: 5.1 standard deviations of what the middle is off by."""
    swing = 300 / sigmas * COUNT**0.5 / (1.25 * 1.4826)
    times = [[1000 + (300 + swing * (-1) ** number) * (rank != 0) for rank in range(8)] for number in range(COUNT)]
    assert bool(marks(one_communicator(times))) == marked


def test_who_stands_no_further_than_his_like_differ_is_not_apart() -> None:
    """In other communicators like it somebody is always late as well."""
    late = [group(number, range(8 * number, 8 * number + 8), [calls(late_by(400))]) for number in range(3)]
    assert [mark.apart for mark in marks(job(["node01"] * 24, late))] == [True] * 3
    pairs = [group(number, (2 * number, 2 * number + 1), [calls(late_by(400, 2))]) for number in range(3)]
    found = marks(job(["node01"] * 6, pairs))
    assert [(mark.process, mark.apart) for mark in found] == [(0, False), (2, False), (4, False)]


def test_of_one_pair_nothing_shows_what_two_differ_by() -> None:
    assert marks(one_communicator(late_by(400, 2))) == []
    pair = group(0, (0, 1), [calls(late_by(400, 2))])
    others = group(1, range(2, 10), [calls(late_by(0))])
    (mark,) = marks(job(["node01"] * 10, [pair, others]))
    assert (mark.process, mark.apart) == (0, False)


def test_communicators_are_alike_by_their_ranks_nodes_and_calls() -> None:
    table, small = calls(late_by(0, 2)), calls(late_by(0, 2), CallKind("all_reduce", 1))
    some = [
        group(0, (0, 1), [table]),
        group(1, (0, 1), [table]),
        group(2, (0, 1), [table], nranks=3),
        group(3, (0, 1), [table], nnodes=2),
        group(4, (0, 1), [small]),
    ]
    known = job(["node01"] * 2, some)
    each = [one for number, group in enumerate(some) for one in lateness_of(number, group, WHOLE, 8)]
    assert [[one.group for one in alike] for alike, _ in alike_of(known, each)] == [[0, 1], [2], [3], [4]]
    rare = [
        replace(one, calls=tuple(calls([[10, 20]] * 4, CallKind("all_reduce", size)) for size in sizes))
        for one, sizes in zip(some[:2], ((1, 2), (3, 4)), strict=True)
    ]
    each = [one for number, group in enumerate(rare) for one in lateness_of(number, group, WHOLE, 8)]
    assert [[one.group for one in alike] for alike, _ in alike_of(known, each)] == [[0, 1]]

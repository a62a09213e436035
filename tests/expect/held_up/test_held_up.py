"""Who holds the collectives up, in made-up trainings of 64 ranks (bench/inside_the_job.py has larger ones)."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.expect.held_up import HeldUp, held_up
from slowlink.expect.held_up.lateness import after_the_others
from slowlink.expect.held_up.outliers import limit_of, spread_of
from slowlink.expect.held_up.since import late_since
from slowlink.facts.timed import timed
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import TimedCalls
from slowlink.rules.running.collectives_held_up import Params
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

SHAPE = Shape(tensor=8, data=4, pipeline=2)
"""Nodes 1 to 4 are the first stage, 5 to 8 the second."""
STEPS = 40


def training(sick: Sick, seed: int = 1, shape: Shape = SHAPE, noise: Noise = Noise()) -> list[TimedCalls]:  # noqa: B008  (frozen)
    return list(columns_of(Job(shape, noise, sick, seed), STEPS))


def judged(columns: list[TimedCalls]) -> tuple[Timed, HeldUp]:
    known = timed(columns)
    assert known is not None
    return known, held_up(known, Params().tolerances())


def late(columns: list[TimedCalls]) -> list[str]:
    known, found = judged(columns)
    assert found.slow == ()
    return [known.processes[each.process].name for each in found.late]


@pytest.mark.parametrize("seed", range(6))
def test_nobody_is_accused_in_a_healthy_job(seed: int) -> None:
    _, found = judged(training(Sick(), seed))
    assert (found.late, found.slow) == ((), ())
    assert (found.compared, found.transfers) == (64, 72)


@pytest.mark.parametrize("rank", [0, 21, 63])
def test_a_slow_rank_is_named_and_its_victims_are_not(rank: int) -> None:
    """All ranks of its node come late to the calls between nodes, and those of the next stage as well."""
    assert late(training(Sick(gpu={rank: 0.8}))) == [f"process {4100 + rank % 8} on node{rank // 8 + 1:02}"]


def test_a_slow_node_is_all_its_ranks() -> None:
    found = late(training(Sick(gpu=dict.fromkeys(range(8, 16), 0.8))))
    assert found == [f"process {4100 + place} on node02" for place in range(8)]


def test_two_slow_ranks_are_both_named() -> None:
    found = late(training(Sick(gpu={5: 0.7, 44: 0.7})))
    assert found == ["process 4105 on node01", "process 4104 on node06"]


def test_what_began_in_the_course_of_the_job_is_found_with_its_time() -> None:
    known, found = judged(training(Sick(gpu={21: 0.75}, since=0.7)))
    (who,) = found.late
    assert known.processes[who.process].name == "process 4105 on node03"
    since = late_since(known, who.lateness, who.member)
    assert since is not None
    assert since.call / since.of == pytest.approx(0.7, abs=0.05)
    assert since.at is not None


def test_a_slow_hca_is_where_slow_transfers_meet() -> None:
    known, found = judged(training(Sick(hca={21: 0.5}), shape=Shape(8, 4, 4)))
    assert found.late == ()
    (slow,) = found.slow
    assert (slow.place.kind, [known.processes[end].name for end in slow.place.processes]) == (
        "end",
        ["process 4105 on node03"],
    )
    assert slow.transfers[0].ratio == pytest.approx(2, rel=0.1)


def test_a_slow_path_has_two_ends_that_are_fast_elsewhere() -> None:
    _, found = judged(training(Sick(path={(1, 5): 0.5}), shape=Shape(8, 4, 4)))
    assert found.late == ()
    (slow,) = found.slow
    assert (slow.place.kind, slow.place.nodes, slow.place.candidates) == ("path", ("node02", "node06"), 1)


def test_a_node_whose_hcas_are_all_slow_is_one_place() -> None:
    _, found = judged(training(Sick(hca=dict.fromkeys(range(32, 40), 0.4)), shape=Shape(8, 4, 4)))
    (slow,) = found.slow
    assert (slow.place.kind, slow.place.nodes) == ("node", ("node05",))


def test_where_nothing_tells_the_ends_apart_all_are_said() -> None:
    """Without stages each HCA is in one communicator only."""
    _, found = judged(training(Sick(hca={21: 0.4}), shape=Shape(8, 8, 1)))
    (slow,) = found.slow
    assert (slow.place.kind, slow.place.candidates, len(slow.place.nodes)) == ("somewhere", 8, 8)


def test_a_path_of_a_ring_is_said_to_be_between_some_of_its_nodes() -> None:
    _, found = judged(training(Sick(path={(1, 2): 0.5}), shape=Shape(8, 4, 4)))
    (slow,) = found.slow
    assert (slow.place.kind, slow.place.nodes) == ("path", ("node01", "node02", "node03", "node04"))
    assert slow.place.candidates > 1


def test_where_all_are_slow_alike_nobody_is_accused() -> None:
    _, found = judged(training(Sick(gpu=dict.fromkeys(range(64), 0.5), hca=dict.fromkeys(range(64), 0.5))))
    assert (found.late, found.slow) == ((), ())


def test_the_order_of_the_files_makes_no_difference() -> None:
    columns = training(Sick(gpu={21: 0.8}))
    random.Random(3).shuffle(columns)
    assert late(columns) == ["process 4105 on node03"]


def test_files_of_some_ranks_are_enough_to_compare_these() -> None:
    some = [calls for calls in training(Sick(gpu={21: 0.8})) if calls.host in ("node02", "node03", "node04")]
    assert late(some) == ["process 4105 on node03"]


def test_without_times_of_the_calls_the_share_is_not_told() -> None:
    at_once = [replace(calls, ended=b"\0" * len(calls.ended)) for calls in training(Sick(gpu={21: 0.8}))]
    _, found = judged(at_once)
    assert [each.share for each in found.late] == [None]


def test_two_ranks_are_held_against_each_other() -> None:
    assert after_the_others(np.array([[5.0, 9.0]])).tolist() == [[4.0, -4.0]]


@given(st.lists(st.floats(1, 1e6), min_size=2, max_size=20))
def test_the_last_to_come_is_the_latest(times: list[float]) -> None:
    (late_by,) = after_the_others(np.array([times]))
    assert late_by[int(np.argmin(times))] == late_by.max()


@settings(max_examples=30)
@given(st.integers(10, 2000), st.floats(1e-4, 0.05))
def test_more_values_have_a_wider_limit_at_the_same_rate(count: int, rate: float) -> None:
    assert limit_of(count, rate) > limit_of(count, 2 * rate) > 0
    assert limit_of(1000 * count, rate) > limit_of(100 * count, rate)


def test_few_values_show_no_spread() -> None:
    assert spread_of(np.array([1.0, 2.0])) == np.inf
    assert limit_of(2, 0.01) == np.inf
    assert spread_of(np.array([1.0, 2.0, 3.0, np.nan])) == pytest.approx(1.4826)

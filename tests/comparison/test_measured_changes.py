"""Bandwidths of two sides: tolerance without repetitions, an interval with them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.comparison.compare import compare
from slowlink.comparison.measured import Tolerances, measured_changes
from slowlink.expect.stats import interval_of_ratio
from slowlink.model.report import Report, Sweep, SweepPoint
from slowlink.report.comparison_text import render_comparison

GIB = 1 << 30


def report(*runs: dict[int, float], collective: str = "all_reduce", nranks: int = 16) -> Report:
    """One sweep for each of ``runs``: size -> busbw in GB/s."""
    sweeps = tuple(
        Sweep(
            collective,
            nranks,
            2,
            "float",
            "sum",
            "nccl-tests",
            "job.log",
            number,
            tuple(
                SweepPoint(size, None, "out_of_place", size / busbw / 1e3, busbw, busbw, 0)
                for size, busbw in run.items()
            ),
            None,
            None,
            True,
        )
        for number, run in enumerate(runs)
    )
    return Report("slowlink.report/1", "0", "inconclusive", "", sweeps=sweeps)


def outcomes(old: Report, new: Report) -> list[tuple[str, str, float]]:
    return [(c.quantity, c.outcome, round(c.ratio, 3)) for c in measured_changes(old, new, Tolerances())]


def test_a_loss_beyond_the_tolerance_is_slower_and_a_gain_faster() -> None:
    old = report({GIB: 390.0, 8 * GIB: 392.0})
    assert outcomes(old, report({GIB: 330.0, 8 * GIB: 333.0})) == [("busbw", "slower", 0.849)]
    assert outcomes(old, report({GIB: 380.0, 8 * GIB: 384.0})) == [("busbw", "same", 0.98)]
    assert outcomes(old, report({GIB: 430.0, 8 * GIB: 432.0})) == [("busbw", "faster", 1.102)]


def test_small_sizes_do_not_decide_about_bandwidth() -> None:
    old = report({1 << 20: 5.0, 8 * GIB: 390.0})
    assert outcomes(old, report({1 << 20: 1.0, 8 * GIB: 391.0})) == [("busbw", "same", 1.003)]


def test_latency_is_a_time_and_more_of_it_is_slower() -> None:
    old = report({8: 0.001})
    assert outcomes(old, report({8: 0.0004}))[1] == ("latency", "slower", 2.5)


def test_other_ranks_or_collectives_are_not_compared() -> None:
    assert outcomes(report({GIB: 1.0}), report({GIB: 1.0}, nranks=8)) == []
    assert outcomes(report({GIB: 1.0}), report({GIB: 1.0}, collective="all_gather")) == []


def test_repetitions_find_a_small_loss_that_a_tolerance_would_miss() -> None:
    rng = random.Random(4)
    old = report(*({GIB: 390 * rng.uniform(0.998, 1.002)} for _ in range(6)))
    new = report(*({GIB: 378 * rng.uniform(0.998, 1.002)} for _ in range(6)))
    (change,) = measured_changes(old, new, Tolerances())
    assert change.outcome == "slower"
    assert change.low is not None
    assert change.high is not None
    assert change.low < change.ratio < change.high < 0.99


def test_repetitions_that_swing_prove_nothing() -> None:
    swinging = [{GIB: value} for value in (390.0, 200.0, 385.0, 190.0, 388.0)]
    other = [{GIB: value} for value in (200.0, 390.0, 190.0, 195.0, 389.0)]
    (change,) = measured_changes(report(*swinging), report(*other), Tolerances())
    assert change.outcome == "same"


values = st.lists(st.floats(1.0, 1000.0), min_size=4, max_size=9)


@given(values, values, st.floats(0.1, 10.0))
def test_the_interval_scales_with_the_values_and_turns_with_the_sides(
    old: list[float], new: list[float], by: float
) -> None:
    found, turned = interval_of_ratio(old, new), interval_of_ratio(new, old)
    scaled = interval_of_ratio(old, [value * by for value in new])
    assert found is not None
    assert turned is not None
    assert scaled is not None
    assert found[0] <= found[1]
    assert abs(scaled[0] - found[0] * by) < 1e-6 * scaled[0]
    assert abs(turned[0] - 1 / found[1]) < 1e-6 * turned[0]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = random.Random(1)
    covered = 0
    for _ in range(400):
        interval = interval_of_ratio([rng.gauss(100, 2) for _ in range(6)], [rng.gauss(90, 2) for _ in range(6)])
        assert interval is not None
        covered += interval[0] <= 0.9 <= interval[1]
    assert covered >= 0.92 * 400


def test_rows_that_one_launch_repeats_are_one_observation() -> None:
    """Launches differ by a few per cent (placement, routes): no number of rows of one launch can tell 2 % from that."""

    def launch(busbw: float) -> Report:
        (sweep,) = report({GIB: busbw}).sweeps
        return replace(report(), sweeps=(replace(sweep, points=sweep.points * 6),))

    (change,) = measured_changes(launch(390.0), launch(382.0), Tolerances())
    assert (change.outcome, change.low) == ("same", None)


def test_the_values_shown_give_the_ratio_shown() -> None:
    old = report({GIB: 100.0, 2 * GIB: 110.0, 4 * GIB: 120.0, 8 * GIB: 130.0})
    (change,) = measured_changes(old, report({GIB: 99.0, 2 * GIB: 66.0, 4 * GIB: 84.0, 8 * GIB: 117.0}), Tolerances())
    assert change.new / change.old == change.ratio


def test_a_run_that_ended_early_is_said_to_tell_nothing_of_larger_sizes() -> None:
    (change,) = measured_changes(report({GIB: 390.0, 8 * GIB: 392.0}), report({GIB: 390.0}), Tolerances())
    assert change.basis.endswith("; larger sizes are not in both (the old one went to 8 GiB)")


def test_large_sizes_that_one_side_did_not_measure_are_named() -> None:
    whole, without = {GIB: 390.0, 2 * GIB: 391.0, 8 * GIB: 392.0}, {GIB: 390.0, 8 * GIB: 392.0}
    (change,) = measured_changes(report(whole), report(without), Tolerances())
    assert change.basis.endswith("; only in the old one: 2 GiB")
    assert (change.not_again, change.ends_early) == ((2 * GIB,), False)
    (change,) = measured_changes(report(without), report(whole), Tolerances())
    assert (change.basis.endswith("; only in the new one: 2 GiB"), change.not_again) == (True, ())


@pytest.mark.parametrize(("busbw", "word"), [(390.0, "INCONCLUSIVE"), (200.0, "SLOWER")])
def test_what_was_not_measured_again_is_not_the_same(busbw: float, word: str) -> None:
    found = compare(report({GIB: 390.0, 8 * GIB: 392.0}), report({GIB: busbw}))
    assert render_comparison(found).startswith(word)
    told = "all_reduce on 16 ranks was not measured again beyond 1 GiB, up to 8 GiB as the old one was"
    assert (told in found.headline) == (word == "INCONCLUSIVE")

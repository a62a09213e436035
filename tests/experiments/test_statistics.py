"""Designs, power, outliers, change points, bootstrap, two groups: against what is known of them."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.expect.student import t_quantile
from slowlink.experiments.bootstrap import bootstrap_interval
from slowlink.experiments.designs import MOST_CHANGES, contrasts, design
from slowlink.experiments.judging import hodges_lehmann, holm_errors, standing
from slowlink.experiments.outliers import change_points, noise_of_series, outliers, robust_z
from slowlink.experiments.power import launches_for, pairs_wanted
from slowlink.experiments.unpaired import critical_count, unpaired_shift
from slowlink.model.experiment import Shift


@pytest.mark.parametrize("count", range(1, MOST_CHANGES + 1))
def test_every_launch_of_a_design_tells_of_every_change(count: int) -> None:
    """Balanced, orthogonal, and no two changes together look like a third one (fold-over)."""
    rows = np.array([[1 if on else -1 for on in row] for row in design(count)])
    assert len(rows) <= 2 * (count + 4)
    assert (rows.sum(axis=0) == 0).all()
    assert (rows.T @ rows == len(rows) * np.eye(count)).all()
    for one, other in combinations(range(min(count, 6)), 2):
        assert (rows.T @ (rows[:, one] * rows[:, other]) == 0).all()


def test_too_many_changes_for_one_design() -> None:
    with pytest.raises(ValueError, match="at most 23"):
        design(MOST_CHANGES + 1)


def test_intervals_of_a_design_hold_together() -> None:
    chance = random.Random(8)
    names = [f"c{number}" for number in range(8)]
    missed = 0
    for _ in range(100):
        gains = {name: chance.choice((0.0, 0.02, -0.05)) for name in names}
        rows = [frozenset(n for n, on in zip(names, row, strict=True) if on) for row in design(8)]
        times = [5 - sum(gains[name] for name in row) + chance.gauss(0, 0.01) for row in rows]
        found = contrasts(rows, times, names, 0.05)
        assert found is not None
        missed += any(not found[name].low <= gains[name] <= found[name].high for name in names)
    assert missed <= 9


def test_launches_that_are_lost_leave_the_others() -> None:
    names = ["a", "b", "c"]
    rows = [frozenset(n for n, on in zip(names, row, strict=True) if on) for row in design(3)][:-2]
    found = contrasts(rows, [3 - 0.5 * ("a" in row) for row in rows], names, 0.05)
    assert found is not None
    assert found["a"].estimate == pytest.approx(0.5)
    assert contrasts(rows[:4], [0.0] * 4, names, 0.05) is None


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [(0.975, 1, 12.7062), (0.975, 2, 4.3027), (0.995, 3, 5.8409), (0.9995, 5, 6.8688), (0.975, 15, 2.1314),
     (0.999, 30, 3.3852)],
)  # fmt: skip
def test_quantiles_of_students_t(probability: float, freedom: int, expected: float) -> None:
    """From tables of the distribution."""
    assert t_quantile(probability, freedom) == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize(
    ("difference", "spread", "launches"),
    [(0.01, 0.005, 4), (0.01, 0.01, 16), (0.01, 0.03, 142), (0.02, 0.01, 4), (0.05, 0.03, 6), (0.05, 0.10, 65)],
)
def test_launches_that_a_difference_takes(difference: float, spread: float, launches: int) -> None:
    """The table of the physics notes (for differences of logs, two-sided 5 %, 80 %)."""
    assert launches_for(difference, spread) == pytest.approx(launches, rel=0.04)


@pytest.mark.parametrize("given", [(0, 0.1), (0.1, -1), (math.nan, 0.1)])
def test_no_number_of_launches(given: tuple[float, float]) -> None:
    with pytest.raises(ValueError):
        launches_for(*given)


def test_pairs_that_would_settle_it() -> None:
    assert pairs_wanted(0.05, 0.01, 0.05, 0.05) == pytest.approx(20, abs=2)
    assert pairs_wanted(0.01, 0.01, 0.05, 0.05) is None
    assert pairs_wanted(3.0, 0.01, 0.05, 0.05) == 6


def test_even_fleets_have_no_outliers_and_a_broken_one_is_not_hidden() -> None:
    even = [math.log(482 + step * 0.05) for step in range(20)]
    assert outliers(even) == []
    ten = [92.0, 92.1, 91.9, 92.0, 92.2, 91.8, 92.0, 92.1, 91.9, 21.1]
    assert outliers([math.log(value) for value in ten]) == [9]
    assert robust_z([]) == []


def test_a_jump_is_one_change_point_and_noise_is_none() -> None:
    chance = random.Random(3)
    jump = [math.log(320) + chance.gauss(0, 0.01) for _ in range(20)]
    jump += [math.log(170) + chance.gauss(0, 0.01) for _ in range(15)]
    assert change_points(jump) == [20]
    alarms = sum(bool(change_points([chance.gauss(0, 0.01) for _ in range(40)])) for _ in range(40))
    assert alarms <= 4
    assert change_points([1.0] * 5) == []
    assert noise_of_series([1.0]) == 0.0


def test_the_bootstrap_holds_the_truth() -> None:
    chance = np.random.default_rng(5)
    held = 0
    for trial in range(40):
        levels = chance.normal(0, 0.1, 16)
        series = [list(level + chance.normal(0, 0.05, 30)) for level in levels]
        one, other = series[:8], [[value + 0.5 for value in each] for each in series[8:]]
        _, low, high = bootstrap_interval(one, other, lambda a, b: float(b.mean() - a.mean()), seed=trial, times=200)
        held += low <= 0.5 <= high
    assert held >= 34
    with pytest.raises(ValueError):
        bootstrap_interval([], [[1.0]], lambda a, b: 0.0)


def test_two_groups_of_launches() -> None:
    assert [critical_count(n, n, 0.05) for n in (3, 4, 5, 8)] == [0, 1, 3, 14]
    assert abs(critical_count(20, 20, 0.05) - critical_count(21, 20, 0.05) + 7) <= 4
    shift = unpaired_shift([1.0, 1.01, 1.02, 1.0], [0.9, 0.91, 0.89, 0.9], 0.05)
    assert shift.low <= 0.105 <= shift.high
    assert standing(shift, 0.01) == "helps"
    assert unpaired_shift([1.0], [0.5], 0.05).low == -math.inf


def test_the_interval_of_two_groups_holds_the_truth() -> None:
    chance = random.Random(6)
    missed = 0
    for _ in range(300):
        off, on = ([chance.gauss(level, 0.05) for _ in range(6)] for level in (0.3, 0.0))
        shift = unpaired_shift(off, on, 0.05)
        missed += not shift.low <= 0.3 <= shift.high
    assert missed <= 23


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.02, 0.2, "helps"), (-0.3, -0.02, "harms"), (-0.005, 0.009, "does-not-matter"), (0.005, 0.2, "open"),
     (-0.2, 0.2, "open"), (-math.inf, math.inf, "open"), (0.001, 0.005, "does-not-matter")],
)  # fmt: skip
def test_what_an_interval_says(low: float, high: float, expected: str) -> None:
    assert standing(Shift(0.0, low, high, 9, 18), 0.01) == expected


def test_holm_gives_the_second_more_room_once_the_first_holds() -> None:
    strong, weak = [0.5] * 12, [0.01, -0.02, 0.03, -0.01, 0.0, 0.02]
    errors = holm_errors({"weak": weak, "strong": strong}, 0.01, 0.05, 4, 0.1)
    assert errors == pytest.approx({"strong": 0.05 / 4, "weak": 0.05 / 3})
    assert holm_errors({"weak": weak, "other": weak}, 0.01, 0.05, 4) == pytest.approx({"weak": 0.0125, "other": 0.0125})


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(-2, 2))
@settings(max_examples=50)
def test_the_estimate_moves_with_what_it_estimates(values: list[float], by: float) -> None:
    assert hodges_lehmann([value + by for value in values]) == pytest.approx(hodges_lehmann(values) + by, abs=1e-9)

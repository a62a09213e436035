"""The error rate of the intervals, whatever the noise and whenever one stops."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from slowlink.experiments.betting import fewest_pairs, interval, most_money, p_above, stakes

TRIALS = 400
finite = st.floats(-3, 3)


def symmetric(kind: str, chance: random.Random) -> float:
    if kind == "normal":
        return chance.gauss(0, 0.05)
    if kind == "heavy":
        return chance.gauss(0, 0.02) / max(chance.random(), 1e-3)
    return chance.choice((-0.2, 0.2)) + chance.gauss(0, 0.001)


@pytest.mark.parametrize("kind", ["normal", "heavy", "two-modes"])
@pytest.mark.parametrize("known", [None, 0.005, 0.5])
def test_the_truth_is_ever_outside_as_seldom_as_was_asked(kind: str, known: float | None) -> None:
    """After every pair up to the thirtieth: an interval that one may look at whenever one likes."""
    chance = random.Random(f"{kind} {known}")
    missed = 0
    for _ in range(TRIALS):
        truth = chance.gauss(0, 0.3)
        series = [truth + symmetric(kind, chance) for _ in range(30)]
        # The interval is where neither gambler has ever had that much.
        either = (series, truth), ([-value for value in series], -truth)
        missed += any(most_money(each, stakes(each, known), shift) >= 2 / 0.05 for each, shift in either)
    assert missed <= 0.05 * TRIALS + 2 * math.sqrt(0.05 * 0.95 * TRIALS)


def test_an_effect_is_seen_soon() -> None:
    chance = random.Random(4)
    needed = []
    for _ in range(50):
        series = [0.1 + chance.gauss(0, 0.05) for _ in range(30)]
        needed.append(next(n for n in range(1, 31) if interval(series[:n], 0.05)[0] > 0))
    assert sorted(needed)[25] <= 10


def test_below_the_fewest_pairs_nothing_is_said() -> None:
    assert [fewest_pairs(error) for error in (0.05, 0.0125, 0.01)] == [6, 8, 9]
    assert fewest_pairs(0.05, known=False) == 7
    assert interval([0.5] * 5, 0.05, 0.01) == (-math.inf, math.inf)
    low, high = interval([0.5] * 6, 0.05, 0.01)
    assert 0.4 < low <= 0.5 <= high < 0.6
    assert interval([0.5] * 6, 0.05)[0] == -math.inf
    assert interval([0.5] * 7, 0.05)[0] > 0


def test_no_difference_at_all() -> None:
    assert interval([], 0.05) == (-math.inf, math.inf)
    assert p_above([], 0.0) == 1


@given(st.lists(finite, min_size=1, max_size=20), st.floats(0.001, 0.5))
@settings(max_examples=60)
def test_less_error_never_narrows_it(series: list[float], error: float) -> None:
    low, high = interval(series, error)
    assert low <= high
    # Where two groups have emptied it, no shift is left that it could hold: also what lies between its ends is not true.
    assume(not math.isfinite(low + high) or most_money(series, stakes(series, None), (low + high) / 2) <= 2 / error)
    wider = interval(series, error / 2)
    assert wider[0] <= low + 1e-6
    assert wider[1] >= high - 1e-6


@given(st.lists(finite, min_size=1, max_size=15), finite, finite)
@settings(max_examples=60)
def test_the_money_falls_with_the_shift(series: list[float], one: float, other: float) -> None:
    spread = stakes(series, 0.1)
    low, high = min(one, other), max(one, other)
    assert most_money(series, spread, low) >= most_money(series, spread, high) - 1e-9


@given(st.lists(finite, min_size=1, max_size=15))
@settings(max_examples=40)
def test_the_sign_is_a_matter_of_names(series: list[float]) -> None:
    low, high = interval(series, 0.1, 0.2)
    other_low, other_high = interval([-value for value in series], 0.1, 0.2)
    assert (low, high) == pytest.approx((-other_high, -other_low), abs=1e-6)

"""Better, worse or the same, with an interval that holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.expect.baseline import Shift, Tolerated, shift_of

MANY = 400


def runs(seed: int, count: int, level: float = 350.0, noise: float = 0.01) -> list[float]:
    return list(level * np.exp(noise * np.random.default_rng(seed).standard_normal(count)))


def share(outcome: str, new: int, level: float = 350.0) -> float:
    """Of many comparisons of 15 runs with ``new`` later ones."""
    shifts = [shift_of(runs(seed, 15), runs(seed + 10_000, new, level), Tolerated()) for seed in range(MANY)]
    return sum(shift.outcome == outcome for shift in shifts) / MANY


def test_a_loss_of_three_per_cent_over_thirty_runs_is_worse() -> None:
    assert share("worse", 15, 350 * 0.97) > 0.99


def test_what_did_not_change_is_seldom_called_worse() -> None:
    """The interval alone would allow 2.5 %; the margin leaves less."""
    assert share("worse", 15) == 0
    assert share("worse", 1) <= 0.01
    assert share("same", 15) >= 0.99


@pytest.mark.parametrize(("new", "error"), [(1, 0.05), (15, 0.05), (4, 0.2)])
def test_the_interval_holds_the_truth_as_often_as_it_says(new: int, error: float) -> None:
    outside = 0
    for seed in range(1000):
        shift = shift_of(runs(seed, 15), runs(seed + 10_000, new, 340.0), Tolerated(), error=error)
        assert shift.low is not None
        assert shift.high is not None
        outside += not shift.low < 340 / 350 < shift.high
    assert outside / 1000 == pytest.approx(error, abs=3 * (error / 1000) ** 0.5)


@pytest.mark.parametrize(
    ("old", "new", "is_time", "outcome"),
    [
        ([350, 351, 349, 350], [300], False, "worse"),
        ([350, 351, 349, 350], [400], False, "better"),
        ([350, 351, 349, 350], [350], False, "same"),
        ([350, 380, 320, 350], [330], False, "open"),
        ([350, 351], [200, 200], False, "open"),  # too few for an interval, however clear it looks
        ([20, 20.1, 19.9, 20], [30], True, "worse"),
        ([20, 20.1, 19.9, 20], [15], True, "better"),
        ([350] * 10, [349.9] * 10, False, "same"),
    ],
)
def test_outcomes(old: list[float], new: list[float], is_time: bool, outcome: str) -> None:
    assert shift_of(old, new, Tolerated(), is_time=is_time).outcome == outcome


def test_many_questions_widen_the_interval() -> None:
    def width(shift: Shift) -> float:
        assert shift.low is not None
        assert shift.high is not None
        return shift.high - shift.low

    one, many = (shift_of(runs(1, 5), runs(2, 5), Tolerated(), questions=count) for count in (1, 24))
    assert width(many) > 1.4 * width(one)


@given(*[st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=8)] * 2)
def test_the_interval_holds_the_estimate(old: list[float], new: list[float]) -> None:
    shift = shift_of(old, new, Tolerated())
    assert (shift.low is None) == (len(old) + len(new) < 5)
    if shift.low is not None and shift.high is not None:
        assert shift.low <= shift.gain <= shift.high

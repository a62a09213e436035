"""Changes of level: planted ones are found where they are, and unchanged series are left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.expect.change_points import FALSE_ALARMS, FEWEST_VALUES, change_points

SERIES = 200


def noisy(seed: int, count: int = 30, noise: float = 0.01) -> np.ndarray:
    """Values of one level, 350 GB/s."""
    found: np.ndarray = 350 * np.exp(noise * np.random.default_rng(seed).standard_normal(count))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_a_loss_of_three_per_cent_is_found_in_noise_of_one(seed: int) -> None:
    values = noisy(seed)
    values[15:] *= 0.97
    (change,) = change_points(list(values))
    assert abs(change.index - 15) <= 2
    assert change.low is not None
    assert change.high is not None
    assert change.low < change.ratio < change.high < 1
    assert change.ratio == pytest.approx(0.97, abs=0.01)
    assert change.p < 0.005


def test_unchanged_series_give_no_more_alarms_than_is_stated() -> None:
    assert sum(bool(change_points(list(noisy(seed)))) for seed in range(SERIES)) <= FALSE_ALARMS * SERIES


def test_nor_do_those_with_outliers_or_with_few_different_values() -> None:
    def odd(seed: int) -> list[float]:
        chance = np.random.default_rng(seed)
        return list(np.round(350 + 2 * chance.standard_t(2, 30)))

    assert sum(bool(change_points(odd(seed))) for seed in range(SERIES)) <= FALSE_ALARMS * SERIES


def test_a_loss_that_is_made_good_is_two_changes() -> None:
    values = noisy(1, 90)
    values[30:60] *= 0.95
    changes = change_points(list(values))
    assert [round(change.index, -1) for change in changes] == [30, 60]
    assert [change.ratio < 1 for change in changes] == [True, False]


def test_one_bad_run_is_no_change_and_few_values_say_nothing() -> None:
    values = noisy(2)
    values[12] *= 0.3
    assert change_points(list(values)) == ()
    assert change_points([1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0][: FEWEST_VALUES - 1]) == ()
    assert change_points([350.0] * 50) == ()


@given(st.lists(st.floats(1e-300, 1e300), max_size=24))
def test_any_series_has_an_answer_and_always_the_same(values: list[float]) -> None:
    changes = change_points(values)
    assert changes == change_points(values)
    assert all(3 <= change.index <= len(values) - 3 for change in changes)

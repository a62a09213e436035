"""Averages as the standard library's, to the last bit."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.averages import (
    MADS_PER_SIGMA,
    SIGMAS_PER_MAD,
    MedianWithout,
    fmean,
    median,
    median_deviation,
    robust_deviation,
)

NUMBERS = st.lists(st.integers(-(10**9), 10**9) | st.floats(-1e300, 1e300), min_size=1)


@given(NUMBERS)
def test_the_median_is_the_one_of_statistics(values: list[float]) -> None:
    assert median(iter(values)) == statistics.median(values)


@given(NUMBERS)
def test_the_mean_is_the_one_of_statistics(values: list[float]) -> None:
    assert fmean(iter(values)) == statistics.fmean(values)


@given(NUMBERS, st.data())
def test_the_median_without_a_few_is_that_of_the_others(values: list[float], data: st.DataObject) -> None:
    without = MedianWithout(iter(values))
    for _ in range(2):
        few = data.draw(st.sets(st.sampled_from(range(len(values))), max_size=len(values) - 1))
        others = [value for place, value in enumerate(values) if place not in few]
        assert without(values[place] for place in few) == statistics.median(others)


def test_half_of_the_values_do_not_move_the_deviation() -> None:
    assert median_deviation(iter([1.0, 2.0, 3.0])) == 1.0
    assert median_deviation([1.0, 2.0, 3.0, 4.0, 1e9]) == 1.0


def test_the_robust_deviation_is_that_of_a_normal_distribution() -> None:
    evenly = [statistics.NormalDist(5, 2).inv_cdf((place + 0.5) / 1001) for place in range(1001)]
    assert robust_deviation(evenly) == pytest.approx(2, rel=0.01)
    assert pytest.approx(1, rel=1e-4) == SIGMAS_PER_MAD * MADS_PER_SIGMA

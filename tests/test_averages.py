"""Averages as the standard library's, to the last bit."""

from __future__ import annotations

import statistics

from hypothesis import given
from hypothesis import strategies as st

from slowlink.averages import fmean, median

NUMBERS = st.lists(st.integers(-(10**9), 10**9) | st.floats(-1e300, 1e300), min_size=1)


@given(NUMBERS)
def test_the_median_is_the_one_of_statistics(values: list[float]) -> None:
    assert median(iter(values)) == statistics.median(values)


@given(NUMBERS)
def test_the_mean_is_the_one_of_statistics(values: list[float]) -> None:
    assert fmean(iter(values)) == statistics.fmean(values)

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.expect.stats import dispersion, harmonic_mean, modality

RATES = st.lists(st.floats(0.1, 1e4), min_size=1, max_size=50)


@given(RATES)
def test_harmonic_mean_is_never_above_the_arithmetic_one(rates: list[float]) -> None:
    assert harmonic_mean(rates) <= sum(rates) / len(rates) * (1 + 1e-9)


def test_one_slow_iteration_in_eight_turns_390_into_170() -> None:
    rates = [390.0] * 88 + [33.0] * 12
    assert harmonic_mean(rates) == pytest.approx(170, abs=1)


def test_rates_must_be_positive() -> None:
    for bad in ([], [1.0, 0.0]):
        with pytest.raises(ValueError):
            harmonic_mean(bad)


def test_dispersion_needs_two_values() -> None:
    assert dispersion([1.0]) is None
    found = dispersion([99.0, 100.0, 101.0])
    assert found is not None
    assert found.mad == 1.0
    assert found.cv == pytest.approx(0.01)


def test_two_groups_are_certain_from_twenty_samples() -> None:
    draw = random.Random(1)
    times = [draw.gauss(22000, 100) for _ in range(40)] + [draw.gauss(230000, 9000) for _ in range(12)]
    found = modality(times)
    assert found.result == "two-groups"
    assert found.tested
    assert found.fast_us == pytest.approx(22000, rel=0.02)
    assert found.slow_us == pytest.approx(230000, rel=0.1)
    assert found.slow_share == pytest.approx(12 / 52)


def test_few_samples_show_two_groups_without_the_test() -> None:
    found = modality([22.0, 22.1, 22.2, 22.1, 230.0, 231.0, 229.0, 22.1])
    assert found.result == "two-groups"
    assert not found.tested


def test_one_group_stays_one() -> None:
    draw = random.Random(2)
    for _ in range(20):
        assert modality([draw.gauss(22000, 200) for _ in range(50)]).result == "one-group"


def test_small_second_group_of_an_even_run_does_not_matter() -> None:
    assert modality([100.0] * 30 + [101.0] * 30).result == "one-group"


def test_too_few_samples_is_its_own_answer() -> None:
    assert modality([1.0, 2.0, 3.0]).result == "not-enough-samples"


@given(st.lists(st.floats(1e-3, 1e9), max_size=60))
def test_total_on_any_times(times: list[float]) -> None:
    found = modality(times)
    assert found.count == len(times)
    if found.result == "two-groups":
        assert found.fast_us is not None
        assert found.slow_us is not None
        assert found.fast_us < found.slow_us


def test_an_even_spread_is_wide_and_still_one_group() -> None:
    assert modality([100.0, 105.0, 111.0, 118.0, 124.0, 131.0, 138.0, 146.0]).result == "one-group"

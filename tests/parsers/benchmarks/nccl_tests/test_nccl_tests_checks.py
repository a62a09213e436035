"""From busbw/algbw to ranks and back, with what rounding allows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nccl_tests_texts import one_run, steps

from slowlink.collectives import busbw_factor
from slowlink.parsers.benchmarks.nccl_tests.checks import nranks_from_ratio, table_ratio
from slowlink.simulate.nccl_tests_output import Node, Run, render


@given(
    st.sampled_from(["all_reduce", "all_gather", "reduce_scatter", "alltoall", "gather", "scatter"]),
    st.integers(1, 4096),
)
def test_the_inverse_gives_the_ranks_back(collective: str, nranks: int) -> None:
    ratio = busbw_factor(collective, nranks)
    assert ratio is not None
    estimate = nranks_from_ratio(collective, ratio)
    assert estimate is not None
    assert (estimate.nranks, estimate.exact) == (nranks, True)


@pytest.mark.parametrize("collective", ["broadcast", "reduce", "sendrecv", "hypercube", "no such"])
def test_a_factor_of_one_says_nothing(collective: str) -> None:
    assert nranks_from_ratio(collective, 1.0) is None


@pytest.mark.parametrize("ratio", [2.5, -1.0, float("nan"), float("inf")])
def test_ratios_that_no_number_of_ranks_gives(ratio: float) -> None:
    assert nranks_from_ratio("all_reduce", ratio) is None


def test_rounding_widens_the_range() -> None:
    estimate = nranks_from_ratio("all_reduce", 1.99, 0.004)
    assert estimate is not None
    assert (estimate.low, estimate.nranks, estimate.high) == (143, 200, 333)
    open_ended = nranks_from_ratio("all_reduce", 1.99, 0.02)
    assert open_ended is not None
    assert open_ended.high is None


def test_an_unknown_collective_is_read_by_its_family() -> None:
    above, below = nranks_from_ratio(None, 1.75), nranks_from_ratio(None, 0.9375)
    assert above is not None
    assert below is not None
    assert (above.nranks, below.nranks, nranks_from_ratio(None, 1.0)) == (8, 16, None)


@given(st.sampled_from(["all_reduce", "all_gather"]), st.sampled_from([1, 2, 4, 8, 32, 128]), st.floats(20, 900))
def test_a_rendered_table_tells_its_ranks(collective: str, nranks: int, gbs: float) -> None:
    run = Run(collective, (Node("n", 1, nranks),), steps([1 << 30, 1 << 31, 1 << 32], gbs=gbs))
    ratio = table_ratio(one_run(render(run, "2.17.0")).points)
    assert ratio is not None
    estimate = nranks_from_ratio(collective, ratio.value, ratio.error)
    assert estimate is not None
    assert estimate.low <= nranks <= (estimate.high or nranks)

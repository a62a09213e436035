"""The factor between algbw and busbw."""

from __future__ import annotations

import pytest

from slowlink.collectives import as_spelled_here, busbw_factor
from slowlink.expect.case import COLLECTIVES


@pytest.mark.parametrize(
    ("collective", "nranks", "factor"),
    [
        ("all_reduce", 16, 1.875),
        ("all_reduce", 1, 0.0),
        ("all_gather", 8, 0.875),
        ("alltoallv", 4, 0.75),
        ("broadcast", 8, 1.0),
        ("hypercube", 8, 1.0),
        ("all_reduce", 0, None),
        ("no such collective", 8, None),
    ],
)
def test_factors_are_those_of_nccl_tests(collective: str, nranks: int, factor: float | None) -> None:
    assert busbw_factor(collective, nranks) == factor


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_every_collective_that_has_a_model_has_a_factor(collective: str) -> None:
    assert busbw_factor(collective, 8) is not None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("allreduce", "all_reduce"),
        ("AllReduce", "all_reduce"),
        (" all-reduce ", "all_reduce"),
        ("all_reduce_perf", "all_reduce"),
        ("all-to-all", "alltoall"),
        ("ib_write_bw", "ib_write_bw"),
        ("", ""),
    ],
)
def test_names_are_known_however_they_are_written(written: str, name: str) -> None:
    assert as_spelled_here(written) == name

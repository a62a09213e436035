"""Names of programs that load GPUs on purpose."""

from __future__ import annotations

import pytest

from slowlink.catalog.programs.stress_tests import is_stress_test, suite_of


@pytest.mark.parametrize(
    "name", ["nvvs", "NVVS", "dcgmproftester12", "dcgmproftester1", "specializediag", "gpu_burn", "rvs"]
)
def test_diagnostics_by_name_version_and_as_the_kernel_cuts_them(name: str) -> None:
    assert is_stress_test(name)


@pytest.mark.parametrize("name", ["eudev", "eudaq", "rvsync", "modsecurity", "python3", "nv-hostengine", "", "dcgm"])
def test_names_that_only_begin_alike_are_nobody(name: str) -> None:
    assert suite_of(name) is None


def test_a_benchmark_is_no_diagnostic() -> None:
    suite = suite_of("p2pBandwidthLa")  # as the kernel cuts a longer name, one character short of it
    assert suite is None
    suite = suite_of("p2pBandwidthLat")
    assert suite is not None
    assert (suite.id, suite.kind) == ("bandwidth", "benchmark")
    assert not is_stress_test("all_reduce_perf")

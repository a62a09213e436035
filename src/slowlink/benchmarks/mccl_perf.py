"""MetaX's tests for MCCL: a derivative of nccl-tests 2.13, with its options and no JSON."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.perf_programs import PerfPrograms


class MacaPerf(PerfPrograms):
    """``all_reduce_perf`` and its kin, for MACA."""

    name: ClassVar[str] = "mccl"
    variables: ClassVar[str] = "MCCL"
    directories: ClassVar[tuple[str, ...]] = (
        "/opt/maca/samples/mccl_tests/perf/mccl_perf",
        "/opt/maca*/samples/mccl_tests/perf/mccl_perf",
        "/opt/maca*/bin",
    )


BENCHMARK = MacaPerf()

"""NVIDIA's nccl-tests, one GPU a rank, over MPI. Options as of 2.0 to 2.19; newer ones where the program has them."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.interface import Program
from slowlink.benchmarks.perf_programs import JsonOption, PerfPrograms


class NcclTests(PerfPrograms):
    """``all_reduce_perf`` and its kin."""

    name: ClassVar[str] = "nccl-tests"
    suffixes: ClassVar[tuple[str, ...]] = ("_perf_mpi", "_perf")
    """``NAME_SUFFIX=_mpi`` is how builds with MPI are told apart where both are installed (NVIDIA's containers)."""
    directories: ClassVar[tuple[str, ...]] = (
        "/opt/nccl-tests/build",
        "/usr/local/nccl-tests/build",
        "/usr/local/bin",
        "/opt/nccl_tests/build",
        "/workspace/nccl-tests/build",
        "/root/nccl-tests/build",
        "/usr/lib/nccl-tests",
    )
    path_first: ClassVar[bool] = True
    json_file: ClassVar[str] = "nccl-tests.json"
    json_options: ClassVar[tuple[JsonOption, ...]] = (JsonOption("json", ("-J",)),)

    def more_options(self, program: Program) -> tuple[str, ...]:
        return ("-I", "1") if "per-iteration" in program.features else ()


BENCHMARK = NcclTests()

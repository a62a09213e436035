"""MetaX's tests for MCCL: a derivative of nccl-tests 2.13, with its options and no JSON."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.interface import COLLECTIVES, Program, RankCommand, Request
from slowlink.benchmarks.nccl_tests import require_mpi, sweep_argv

_DIRECTORIES = (
    "/opt/maca/samples/mccl_tests/perf/mccl_perf",
    "/opt/maca*/samples/mccl_tests/perf/mccl_perf",
    "/opt/maca*/bin",
)


class MacaPerf:
    """``all_reduce_perf`` and its kin, for MACA."""

    name: ClassVar[str] = "mccl"
    collectives: ClassVar[tuple[str, ...]] = COLLECTIVES

    def candidates(self, collective: str) -> tuple[str, ...]:
        name = f"{collective}_perf"
        return (*(f"{directory}/{name}" for directory in _DIRECTORIES), name)

    def command(self, request: Request, program: Program) -> RankCommand:
        require_mpi(program)
        return RankCommand((*sweep_argv(request, program), *request.extra))


BENCHMARK = MacaPerf()

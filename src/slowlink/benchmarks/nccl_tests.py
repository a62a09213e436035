"""NVIDIA's nccl-tests, one GPU a rank, over MPI. Options as of 2.0 to 2.19; newer ones where the program has them."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.interface import COLLECTIVES, Program, RankCommand, Request
from slowlink.errors import SlowlinkError

JSON_FILE = "nccl-tests.json"
_SUFFIXES = ("_perf_mpi", "_perf")
"""``NAME_SUFFIX=_mpi`` is how builds with MPI are told apart where both are installed (NVIDIA's containers)."""
_DIRECTORIES = (
    "/opt/nccl-tests/build",
    "/usr/local/nccl-tests/build",
    "/usr/local/bin",
    "/opt/nccl_tests/build",
    "/workspace/nccl-tests/build",
    "/root/nccl-tests/build",
    "/usr/lib/nccl-tests",
)


class NcclTests:
    """``all_reduce_perf`` and its kin."""

    name: ClassVar[str] = "nccl-tests"
    collectives: ClassVar[tuple[str, ...]] = COLLECTIVES

    def candidates(self, collective: str) -> tuple[str, ...]:
        names = [collective + suffix for suffix in _SUFFIXES]
        return (*names, *(f"{directory}/{name}" for directory in _DIRECTORIES for name in names))

    def command(self, request: Request, program: Program) -> RankCommand:
        require_mpi(program)
        argv = sweep_argv(request, program)
        outputs: tuple[str, ...] = ()
        if "json" in program.features:
            argv += ["-J", f"{{output}}/{JSON_FILE}"]
            outputs = (JSON_FILE,)
        if "per-iteration" in program.features:
            argv += ["-I", "1"]
        return RankCommand((*argv, *request.extra), outputs)


def sweep_argv(request: Request, program: Program) -> list[str]:
    """The options that all of these programs have had from the start; one GPU a process."""
    return [
        program.path,
        *("-b", str(request.min_bytes), "-e", str(request.max_bytes), "-f", str(request.factor)),
        *("-g", "1", "-n", str(request.iterations), "-w", str(request.warmup), "-c", str(int(request.check))),
        *("-d", request.datatype, "-o", request.redop),
    ]


def require_mpi(program: Program) -> None:
    """Without MPI every rank would measure alone, print a busbw of 0 and look fine."""
    if program.with_mpi is False:
        raise SlowlinkError(
            f"{program.path} is not linked with MPI: every rank would run alone",
            hint="build it with MPI=1 (slowlink build-tests does), or name another with --path",
            slug="benchmark-without-mpi",
        )


BENCHMARK = NcclTests()

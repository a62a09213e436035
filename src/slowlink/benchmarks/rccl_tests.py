"""AMD's rccl-tests. JSON is asked for with ``-Z json -x FILE`` (2025), ``-Z json -X FILE`` or ``-J FILE`` (2026)."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.interface import COLLECTIVES, Program, RankCommand, Request
from slowlink.benchmarks.nccl_tests import require_mpi, sweep_argv

JSON_FILE = "rccl-tests.json"
_DIRECTORIES = (
    "/opt/rccl-tests/build",
    "/opt/rocm/rccl-tests/build",
    "/opt/rocm/bin",
    "/opt/rocm*/share/rccl-tests/build",
    "/usr/local/rccl-tests/build",
    "/workspace/rccl-tests/build",
    "/root/rccl-tests/build",
)


class RcclTests:
    """``all_reduce_perf`` and its kin, for ROCm."""

    name: ClassVar[str] = "rccl-tests"
    collectives: ClassVar[tuple[str, ...]] = COLLECTIVES

    def candidates(self, collective: str) -> tuple[str, ...]:
        name = f"{collective}_perf"
        return (*(f"{directory}/{name}" for directory in _DIRECTORIES), name)

    def command(self, request: Request, program: Program) -> RankCommand:
        require_mpi(program)
        argv = sweep_argv(request, program)
        outputs: tuple[str, ...] = (JSON_FILE,)
        if "json" in program.features:
            argv += ["-J", f"{{output}}/{JSON_FILE}"]
        elif "rccl-json" in program.features:
            argv += ["-Z", "json", "-X", f"{{output}}/{JSON_FILE}"]
        elif "rccl-json-short" in program.features:
            argv += ["-Z", "json", "-x", f"{{output}}/{JSON_FILE}"]
        else:
            outputs = ()
        return RankCommand((*argv, *request.extra), outputs)


BENCHMARK = RcclTests()

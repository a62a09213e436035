"""slowlink's own rank program: every iteration of every rank. Needs Python and slowlink where the ranks run, no GPU."""

from __future__ import annotations

import sys
from typing import ClassVar

from slowlink.benchmarks.interface import COLLECTIVES, Program, RankCommand, Request
from slowlink.benchmarks.own_module import own_module

ITERATIONS_FILE = "probe-iterations.jsonl.gz"


class Probe:
    """``python -m slowlink.probe``. The program is the Python that runs it, the same path on every node."""

    name: ClassVar[str] = "probe"
    collectives: ClassVar[tuple[str, ...]] = COLLECTIVES

    def candidates(self, collective: str) -> tuple[str, ...]:  # noqa: ARG002  (one program for all)
        return (sys.executable, "python3")

    def command(self, request: Request, program: Program) -> RankCommand:
        backend = request.backend or "mpi"
        argv = (
            *own_module(program.path, "slowlink.probe"),
            *(request.collective, "--backend", backend),
            *("-b", str(request.min_bytes), "-e", str(request.max_bytes), "-f", str(request.factor)),
            *("-n", str(request.iterations), "-w", str(request.warmup), "-c", str(int(request.check))),
            *("-d", request.datatype, "-o", request.redop, "--output", f"{{output}}/{ITERATIONS_FILE}"),
        )
        gpus = 1 if backend == "nccl" else 0
        return RankCommand((*argv, *request.extra), (ITERATIONS_FILE,), gpus_per_rank=gpus)


BENCHMARK = Probe()

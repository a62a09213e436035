"""nccl-tests and what derives from it: a program for each collective, the same options, JSON asked for in other words.

A derivative declares what is its own: where it is installed, and how it writes JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

from slowlink.benchmarks.interface import COLLECTIVES, Program, RankCommand, Request
from slowlink.errors import SlowlinkError


class JsonOption(NamedTuple):
    """How a program with ``feature`` is asked for JSON; the file's name follows ``argv``."""

    feature: str
    argv: tuple[str, ...]


class PerfPrograms:
    """``all_reduce_perf`` and its kin, one GPU a rank, over MPI."""

    name: ClassVar[str]
    directories: ClassVar[tuple[str, ...]]
    """Usual places, best first; may hold ``*``."""
    collectives: ClassVar[tuple[str, ...]] = COLLECTIVES
    suffixes: ClassVar[tuple[str, ...]] = ("_perf",)
    """What follows the collective in a program's name, best first."""
    path_first: ClassVar[bool] = False
    """Is PATH looked at before ``directories``? Not for a derivative: the name there is most often nccl-tests'."""
    variables: ClassVar[str] = "NCCL"
    """How the names of its library's variables begin."""
    json_file: ClassVar[str] = ""
    json_options: ClassVar[tuple[JsonOption, ...]] = ()
    """The first whose feature the program has is used; without one there is only the table."""

    def candidates(self, collective: str) -> tuple[str, ...]:
        names = tuple(collective + suffix for suffix in self.suffixes)
        places = tuple(f"{directory}/{name}" for directory in self.directories for name in names)
        return (*names, *places) if self.path_first else (*places, *names)

    def command(self, request: Request, program: Program) -> RankCommand:
        gpus = gpus_of_a_process(request.extra)
        if gpus == 1:
            require_mpi(program)
        json = next((option for option in self.json_options if option.feature in program.features), None)
        argv = (
            *_sweep_argv(request, program),
            *((*json.argv, f"{{output}}/{self.json_file}") if json is not None else ()),
            *self.more_options(program),
            *request.extra,
        )
        outputs = (self.json_file,) if json is not None else ()
        return RankCommand(argv, outputs, gpus_per_rank=gpus, variables=self.variables)

    def more_options(self, program: Program) -> tuple[str, ...]:  # noqa: ARG002  (for those that have some)
        """What else this program can do and is asked for."""
        return ()


def gpus_of_a_process(extra: Sequence[str]) -> int:
    """GPUs that one process drives: threads (-t) times GPUs of each (-g), where the user's own words say so."""
    found = 1
    for names in (("-t", "--nthreads"), ("-g", "--ngpus")):
        values = [value for name, value in pairwise(extra) if name in names]
        # The last one counts, as getopt_long(3) reads them; what is no number the program refuses itself.
        found *= int(values[-1]) if values and values[-1].isdecimal() and int(values[-1][:4]) > 0 else 1
    return found


def _sweep_argv(request: Request, program: Program) -> list[str]:
    """The options that all of these programs have had from the start; one GPU a process, unless ``extra`` says more."""
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

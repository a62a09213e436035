"""What a benchmark is: its argv for a request, and which parser reads it.

A benchmark is a module here with a ``BENCHMARK``; it is found by being there.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from msgspec import Struct, field

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv")


class Request(Struct, frozen=True):
    """What is to be measured."""

    collective: str
    min_bytes: int
    max_bytes: int
    factor: int = 2
    iterations: int = 20
    warmup: int = 5
    datatype: str = "float"
    redop: str = "sum"
    check: bool = True
    backend: str | None = None
    """The probe's: ``mpi``, ``gloo``, ``nccl``."""
    extra: tuple[str, ...] = ()
    """Passed through to the program."""
    duration_s: int | None = None
    """perftest: measure for this long in place of ``iterations``."""


class Program(Struct, frozen=True):
    """A benchmark program that was found, and what it can do."""

    path: str
    version: str | None
    with_mpi: bool | None
    """Linked with MPI; None when that could not be told."""
    features: frozenset[str] = field(default_factory=frozenset)
    """``json`` (-J), ``per-iteration`` (-I) ..."""


class RankCommand(Struct, frozen=True):
    """What each rank runs, and which files it leaves."""

    argv: tuple[str, ...]
    outputs: tuple[str, ...] = ()
    """Files that rank 0 writes, relative to ``{output}``, which the runner replaces by a directory of the bundle."""
    gpus_per_rank: int = 1
    variables: str = "NCCL"
    """How the names of the variables begin by which its library is told where to log."""


class Benchmark(Protocol):
    """Pure: how to ask a program for a measurement."""

    name: ClassVar[str]
    """``nccl-tests``, ``rccl-tests``, ``mccl``, ``probe``, ``perftest``, ``nvbandwidth``."""
    collectives: ClassVar[tuple[str, ...]]

    def candidates(self, collective: str) -> tuple[str, ...]:
        """Program names and usual places to look for, best first."""

    def command(self, request: Request, program: Program) -> RankCommand:
        """The argv of one rank. Raises SlowlinkError for what this version cannot do."""

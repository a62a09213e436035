"""One whole job log as a person has it: the command that was typed, NCCL's own lines and the benchmark's table.

The numbers obey one law: a row takes ``alpha + size * factor / plateau``, with ``alpha`` from the half-peak size.
Noise, interference and damage are laid on top of it, the same at each call.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct, field

from slowlink.simulate.nccl_log_output import LoggedCluster, ranked_nccl_log_lines
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, factor, render, render_header

Prefix = Literal["", "mpirun --tag-output", "srun -l", "kubectl logs --timestamps --prefix"]


class SimulatedJob(Struct, frozen=True):
    """What ran, how fast, and what happened to its output."""

    cluster: LoggedCluster = field(default_factory=LoggedCluster)
    collective: str = "all_reduce"
    gpu: str = "NVIDIA A100-SXM4-80GB"
    plateau_gbs: float = 38.0
    """busbw of an endless message."""
    half_peak_bytes: int = 16 << 20
    """The size that reaches half of it."""
    smallest_bytes: int = 8 << 20
    largest_bytes: int = 8 << 30
    cycles: int = 1
    """How often the sizes are gone through."""
    noise: float = 0.002
    """Each time is longer by up to this share."""
    slow_every: int = 0
    """Each so-many-th row meets interference; 0: none does."""
    slow_factor: float = 10.0
    """How much longer a row takes then."""
    shape: Mapping[int, float] = field(default_factory=dict)
    """Size -> share of the bandwidth that is left at this size."""
    wrong: Mapping[int, int] = field(default_factory=dict)
    """Size -> wrong elements."""
    layout: str = "2.17.9"
    """A layout of nccl-tests (``nccl_tests_output.LAYOUTS``)."""
    command: bool = True
    """The command line stands above the output."""
    logged: bool = True
    """NCCL_DEBUG=INFO was set."""
    prefix: Prefix = ""
    rows_before_death: int | None = None
    """The job is killed after so many rows."""


def job_log(job: SimulatedJob) -> str:
    """The whole text."""
    return "\n".join(job_lines(job)) + "\n"


def job_lines(job: SimulatedJob) -> Iterator[str]:
    """The lines in the order of a real run: communicators are made after the devices are listed and before the table
    begins."""
    if job.command:
        yield f"$ {_command(job)}"
    run = _run(job)
    printed = render(run, job.layout)
    table = printed.index(render_header(run, job.layout)[1]) - 1
    last = len(printed) if job.rows_before_death is None else _first_row(printed) + job.rows_before_death
    for line in printed[:table]:
        yield _prefixed(job, 0, line)
    if job.logged:
        for rank, line in ranked_nccl_log_lines(job.cluster):
            yield _prefixed(job, rank, line)
    for line in printed[table:last]:
        yield _prefixed(job, 0, line)


def _first_row(printed: list[str]) -> int:
    return next(number for number, line in enumerate(printed) if line[:1] == " " and line.split()[0].isdecimal())


def _command(job: SimulatedJob) -> str:
    cluster = job.cluster
    hosts = ",".join(f"{host}:{cluster.gpus}" for host in cluster.hosts)
    settings = {**({"NCCL_DEBUG": "INFO"} if job.logged else {}), **cluster.env}
    exported = "".join(f" -x {name}={value}" for name, value in settings.items())
    sizes = f"-b {job.smallest_bytes} -e {job.largest_bytes} -f 2 -g 1"
    cycles = f" -N {job.cycles}" if job.cycles > 1 else ""
    return f"mpirun -np {cluster.nranks} -H {hosts}{exported} ./build/{job.collective}_perf {sizes}{cycles}"


def _run(job: SimulatedJob) -> Run:
    nodes = tuple(Node(host, 4000, job.cluster.gpus) for host in job.cluster.hosts)
    wrong = sum(1 for size in job.wrong if job.smallest_bytes <= size <= job.largest_bytes)
    return Run(job.collective, nodes, tuple(_steps(job)), gpu=job.gpu, out_of_bounds=2 * wrong * job.cycles)


def _steps(job: SimulatedJob) -> Iterator[Step]:
    chance = random.Random(job.cluster.nranks)  # noqa: S311  (repeatable noise, no secret)
    row = 0
    for _ in range(job.cycles):
        size = job.smallest_bytes
        while size <= job.largest_bytes:
            row += 1
            slow = job.slow_factor if job.slow_every and row % job.slow_every == 0 else 1.0
            sides = [
                Measured(_time_us(job, size) * slow * (1 + job.noise * chance.random()), job.wrong.get(size, 0))
                for _ in range(2)
            ]
            yield Step(size, sides[0], sides[1])
            size *= 2


def _time_us(job: SimulatedJob, size_bytes: int) -> float:
    moved = (size_bytes + job.half_peak_bytes) * factor(job.collective, job.cluster.nranks)
    return moved / (job.plateau_gbs * job.shape.get(size_bytes, 1.0) * 1e3)


def _prefixed(job: SimulatedJob, rank: int, line: str) -> str:
    if job.prefix == "mpirun --tag-output":
        return f"[1,{rank}]<stdout>:{line}"
    if job.prefix == "srun -l":
        return f"{rank:{len(str(job.cluster.nranks - 1))}d}: {line}"
    if job.prefix == "kubectl logs --timestamps --prefix":
        pod = job.cluster.hosts[rank // job.cluster.gpus]
        return f"[pod/{pod}/trainer] 2026-03-01T10:00:{rank % 60:02d}.{rank:09d}Z {line}"
    return line

"""Measures how fast we start: whole commands, cold but for the files' caches, beside the limits that the design sets.

    make bench

Each command runs ten times, all of them in turns; the least processor time of each counts, because what else is at work
on the machine only adds. What an interpreter takes that does nothing is measured in the same run: the ratio to it
compares machines. Nothing here is a test: machines differ, and so does their load.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from msgspec import Struct
from nccl_log import _channels, _init

from slowlink.simulate.job import SimulatedJob, job_log

TIMES = 10
SLOWLINK = [sys.executable, "-m", "slowlink"]
IDLE = [sys.executable, "-c", "pass"]


def main() -> None:
    """Start-up and small logs."""
    with tempfile.TemporaryDirectory() as folder:
        nccl, job = Path(folder, "nccl.log"), Path(folder, "job.log")
        nccl.write_text(_whole_lines("\n".join(_init(2, 8) + _channels(2, 8, 32)), 100_000))
        job.write_text(_at_least(job_log(SimulatedJob()), 100_000))
        commands = [
            Command("python -c pass", IDLE),
            Command("slowlink --version", [*SLOWLINK, "--version"], 0.05),
            Command("slowlink --help", [*SLOWLINK, "--help"]),
            Command("analyze, 100 KB of NCCL's log", [*SLOWLINK, "analyze", str(nccl)], 0.2),
            Command("analyze, 130 KB of a job's log", [*SLOWLINK, "analyze", str(job)]),
        ]
        took = _run(commands)
    idle = took[0].cpu
    for command, best in zip(commands, took, strict=True):
        limit = f"limit {command.limit} s" if command.limit else ""
        ratio = f"{best.cpu / idle:5.1f} x python"
        print(f"{command.title:<32} wall {best.wall:6.3f} s  cpu {best.cpu:6.3f} s  {ratio}   {limit}".rstrip())


class Command(Struct, frozen=True):
    """What is measured."""

    title: str
    argv: list[str]
    limit: float | None = None
    """Seconds of processor time, by the design."""


class Took(Struct, frozen=True):
    """The least of all runs of one command, seconds."""

    wall: float
    cpu: float
    """User and system time of the process and its children: what a loaded machine does not change much."""


def _whole_lines(text: str, size: int) -> str:
    return text[:size].rpartition("\n")[0] + "\n"


def _at_least(text: str, size: int) -> str:
    return text * (size // len(text) + 1)


def _run(commands: list[Command]) -> list[Took]:
    """Each command in each round, behind one round that warms the caches."""
    rounds = [[_once(command.argv) for command in commands] for _ in range(TIMES + 1)][1:]
    return [Took(min(took.wall for took in mine), min(took.cpu for took in mine)) for mine in zip(*rounds, strict=True)]


def _once(argv: list[str]) -> Took:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main()

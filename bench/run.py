"""Measures our own speed beside the limits that the design sets: whole commands, in one run, as medians.

    make bench

Nothing here is a test: machines differ, and so does their load. Ratios and limits stand beside each figure.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from msgspec import Struct

from slowlink.simulate.job import SimulatedJob, job_log

SLOWLINK = [sys.executable, "-m", "slowlink"]


def main() -> None:
    """Start-up and a small log."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.log")
        small.write_text(_at_least(job_log(SimulatedJob()), 100_000))
        _show("slowlink --version", _run([*SLOWLINK, "--version"]), "limit 0.15 s")
        _show("python -c pass", _run([sys.executable, "-c", "pass"]), "for comparison")
        _show("analyze 100 KB", _run([*SLOWLINK, "analyze", str(small), "-q"]), "limit 0.5 s")


class Took(Struct, frozen=True):
    """Medians of one command, seconds."""

    wall: float
    cpu: float
    """User and system time of the process and its children: what a loaded machine does not change much."""


def _at_least(text: str, size: int) -> str:
    return text * (size // len(text) + 1)


def _run(command: list[str], times: int = 5) -> Took:
    """The whole process, after one run that warms the caches."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    walls, cpus = [], []
    for number in range(times + 1):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if number:
            walls.append(wall)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Took(median(walls), median(cpus))


def _show(what: str, took: Took, note: str) -> None:
    print(f"{what:<32} wall {took.wall:7.3f} s  cpu {took.cpu:7.3f} s   {note}", flush=True)


if __name__ == "__main__":
    main()

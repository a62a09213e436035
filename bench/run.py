"""Measures our own speed beside the limits that the design sets: whole commands, in one run, as medians.

    make bench

Nothing here is a test: machines differ, and so does their load. Ratios and limits stand beside each figure.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from msgspec import Struct
from scan import make_log

from slowlink.simulate.job import SimulatedJob, job_log

SLOWLINK = [sys.executable, "-m", "slowlink"]
LARGE_BYTES = 200_000_000


def main() -> None:
    """Start-up, a small log, a large log on one core and on all, and ripgrep where it is there."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.log"), Path(folder, "large.log")
        small.write_text(_at_least(job_log(SimulatedJob()), 100_000))
        with large.open("wb") as file:
            file.writelines(make_log(LARGE_BYTES))
        _show("slowlink --version", _run([*SLOWLINK, "--version"]), "limit 0.15 s")
        _show("python -c pass", _run([sys.executable, "-c", "pass"]), "for comparison")
        _show("analyze 100 KB", _run([*SLOWLINK, "analyze", str(small), "-q"]), "limit 0.5 s")
        megabytes = large.stat().st_size / 1e6
        for cores in sorted({1, os.cpu_count() or 1}):
            took = _run([*SLOWLINK, "analyze", str(large), "-q"], times=3, cores=cores)
            rate = megabytes / (took.cpu if cores == 1 else took.wall)
            _show(f"{megabytes:.0f} MB of NCCL log, {cores} core(s)", took, f"{rate:.0f} MB/s; goal 80 on one core")
        _ripgrep(large, megabytes)


class Took(Struct, frozen=True):
    """Medians of one command, seconds."""

    wall: float
    cpu: float
    """User and system time of the process and its children: what a loaded machine does not change much."""


def _at_least(text: str, size: int) -> str:
    return text * (size // len(text) + 1)


def _run(command: list[str], times: int = 5, cores: int | None = None) -> Took:
    """The whole process, after one run that warms the caches."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    pin = ["taskset", "-c", f"0-{cores - 1}"] if cores is not None and shutil.which("taskset") else []
    walls, cpus = [], []
    for number in range(times + 1):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([*pin, *command], check=False, stdout=subprocess.DEVNULL, env=environment)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if number:
            walls.append(wall)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Took(median(walls), median(cpus))


def _ripgrep(large: Path, megabytes: float) -> None:
    try:
        took = _run(["rg", "-c", r"via NET/\S+", str(large)], times=3)
    except FileNotFoundError:
        print("ripgrep is not installed: its ratio is not measured")
        return
    _show("ripgrep, one pattern", took, f"{megabytes / took.wall:.0f} MB/s; the design asks for a quarter of it")


def _show(what: str, took: Took, note: str) -> None:
    print(f"{what:<32} wall {took.wall:7.3f} s  cpu {took.cpu:7.3f} s   {note}", flush=True)


if __name__ == "__main__":
    main()

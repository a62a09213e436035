"""``slowlink run`` on a lab host, as the tests of this directory start it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from slowlink.lab.lab import Lab

ENDLESS = ("-b", "8", "-e", "64M", "--iters", "200")
"""Rows at once, and no end within any test."""


WAKEFUL = ("--env", "OMPI_MCA_threads_pthreads_yield_strategy=sched_yield")
"""Ranks that wait do not sleep: who sleeps is woken before a load, which then costs a run little."""


class Run:
    """One run of all_reduce over ssh from node1, its bundle in ``directory``; ``asked``: with the nodes' state."""

    def __init__(
        self,
        lab: Lab,
        directory: Path,
        *words: str,
        python: str = sys.executable,
        asked: bool = False,
        nodes: str = "node[1-4]",
    ) -> None:
        self.bundle = directory / "bundle"
        given = ["--on", "ssh", "--nodes", nodes, "--bundle", str(self.bundle), "--format", "json"]
        given += [] if asked else ["--no-snapshot"]
        self.process = lab.popen("node1", [python, "-m", "slowlink", "run", "all_reduce", *given, *words])
        self._lab = lab

    def await_rows(self, count: int, patience_s: float = 40) -> None:
        """Waits until the bundle holds so many rows of the table: it is written while the run goes on."""
        deadline = time.monotonic() + patience_s
        while len(self.rows()) < count:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, "no rows came"
            time.sleep(0.05)

    def rows(self) -> list[list[str]]:
        """Rows of the table, as the bundle has them."""
        try:
            text = (self.bundle / "captures" / "run-1" / "stdout").read_text()
        except FileNotFoundError:
            return []
        return [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()]

    def pid(self) -> int:
        """Of slowlink itself, for signals."""
        return self._lab.pid_of(self.process)

    def finish(self, timeout_s: float = 60) -> Finished:
        """Waits for the end. Raises subprocess.TimeoutExpired."""
        out, err = self.process.communicate(timeout=timeout_s)
        return Finished(self.process.returncode, out, err)


class Finished:
    """How a run ended and what it said."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def report(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def launch(self) -> dict[str, Any]:
        """How the only launch ended."""
        (found,) = self.report["facts"]["launches"]
        assert isinstance(found, dict)
        return found


def make_mpich(directory: Path) -> str:
    """A Python with the ``mpich`` wheel that sees everything of this one. Raises CalledProcessError."""
    home = directory / "mpich"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=60)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "mpich"]
    subprocess.run(install, check=True, timeout=90, capture_output=True)
    here = [path for path in sys.path if path and Path(path).is_dir()]
    (site,) = home.glob("lib/python3*/site-packages")
    (site / "all_of_it.pth").write_text("".join(f"{path}\n" for path in here))
    return str(python)

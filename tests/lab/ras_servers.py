"""Fake RAS servers on lab hosts: each host has a loopback, and so a RAS, of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path

import slowlink
from slowlink.lab.lab import Lab

SLOWLINK = ["env", f"PYTHONPATH={Path(slowlink.__file__).parents[1]}", sys.executable, "-m", "slowlink"]
"""These sources, whatever is installed."""
FAKE = str(Path(__file__).parents[1] / "fake_ras.py")
PORT = 28028
ON, OFF = "CONTROL PROFILER_MASK coll,kernelch", "CONTROL PROFILER_MASK none"


class Servers:
    """They listen at the usual port, and write down what they are told in ``place``."""

    def __init__(self, lab: Lab, place: Path) -> None:
        self._lab = lab
        self._place = place
        self._started: dict[str, subprocess.Popen[str]] = {}

    def start(self, node: str, manner: str) -> None:
        """It listens when this returns."""
        with self._log(node).open("w") as log:
            self._started[node] = self._lab.popen(node, [sys.executable, FAKE, manner, str(PORT)], stdout=log)
        until = time.monotonic() + 20
        while f":{PORT:04X} " not in self._lab.exec(node, ["cat", "/proc/net/tcp"]).stdout:
            assert time.monotonic() < until, "no server"
            time.sleep(0.05)

    def commands(self, node: str) -> list[str]:
        return self._log(node).read_text().splitlines()

    def controls(self, node: str) -> list[str]:
        """The commands that change the job, equal ones behind one another once."""
        return [each for each, _ in groupby(each for each in self.commands(node) if each.startswith("CONTROL"))]

    def await_controls(self, node: str, wanted: list[str], patience_s: float = 60) -> None:
        until = time.monotonic() + patience_s
        while self.controls(node) != wanted:
            assert time.monotonic() < until, self.controls(node)
            time.sleep(0.05)

    def end(self) -> None:
        for each in self._started.values():
            self._lab.end(each)

    def _log(self, node: str) -> Path:
        return self._place / f"commands-{node}"

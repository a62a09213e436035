"""``slowlink lab`` as a user calls it: one process a command, and the hosts outlive it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowlink.lab import make

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def call(lab_possible: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        # Output goes to pipes: a host that kept one open would never let this return.
        argv = [sys.executable, "-m", "slowlink", "lab", *words]
        return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    yield run
    make.down("lab")


def test_a_whole_session(call: Call) -> None:
    assert call("up", "--nodes", "2", "--slow", "node2=200mbit").stdout.startswith(
        "lab 'lab': 2 hosts, node1 to node2\n"
    )
    assert call("up").returncode == 2
    assert call("load", "node1", "--cpus", "2").returncode == 0
    assert call("cut", "node2").returncode == 0
    assert call("status").stdout.splitlines() == [
        "node1    10.77.0.1    up       2 processes  load 2",
        "node2    10.77.0.2    up       0 processes  slow 200mbit, cut",
    ]
    assert call("load", "node1", "off").returncode == 0
    assert call("join", "node2").returncode == 0
    assert call("kill", "node1").returncode == 0
    dead = call("exec", "node1", "true")
    assert (dead.returncode, dead.stderr.splitlines()) == (
        2,
        ["slowlink: node1 is dead", "  slowlink lab join node1 --name lab starts it anew"],
    )
    assert call("join", "node1").returncode == 0
    done = call("exec", "node1", "ssh", "-v", "node2", "hostname; exit 5")
    assert (done.returncode, done.stdout) == (5, "node2\n")
    assert call("slow", "node9", "off").returncode == 2
    assert call("down").stdout == "lab 'lab' is down\n"
    assert call("down").stdout == "there is no lab 'lab'\n"

"""``slowlink attach --nodes`` over ssh between lab hosts: each host has a loopback, and a RAS, of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slowlink
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]
SLOWLINK = ["env", f"PYTHONPATH={Path(slowlink.__file__).parents[1]}", sys.executable, "-m", "slowlink"]
"""These sources, whatever is installed."""
FAKE = str(Path(__file__).parents[1] / "fake_ras.py")
PORT = 28028


class Servers:
    """Fake RAS servers on lab hosts."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._started: list[subprocess.Popen[str]] = []

    def start(self, node: str, manner: str) -> None:
        """One at the usual port; it listens when this returns."""
        self._started.append(self._lab.popen(node, [sys.executable, FAKE, manner, str(PORT)]))
        until = time.monotonic() + 20
        while f":{PORT:04X} " not in self._lab.exec(node, ["cat", "/proc/net/tcp"]).stdout:
            assert time.monotonic() < until, "no server"
            time.sleep(0.05)

    def end(self) -> None:
        for each in self._started:
            self._lab.end(each)


@pytest.fixture
def servers(lab: Lab) -> Iterator[Servers]:
    made = Servers(lab)
    yield made
    made.end()


def attach(lab: Lab, *words: str, nodes: str = "node[1-3]") -> tuple[int, dict[str, Any], str]:
    given = ["--nodes", nodes, "--no-history", "--no-snapshot", "--between", "5", "--format", "json"]
    done = lab.exec("node4", [*SLOWLINK, "attach", *given, *words])
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def test_one_sick_job_among_nodes(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node2", "behind")
    servers.start("node3", "behind")
    status, report, err = attach(lab, "-o", str(shared / "sick"))
    assert (status, [each["cause"] for each in report["findings"]]) == (1, ["rank-stuck"]), err
    assert "rank 5" in report["headline"]
    assert "3 of 3 nodes answered" in err
    again = lab.exec("node4", [*SLOWLINK, "analyze", "--format", "json", str(shared / "sick")])
    assert json.loads(again.stdout)["headline"] == report["headline"]


def test_a_node_that_does_not_answer_leaves_it_open(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node2", "json")
    lab.cut("node3")
    status, report, _ = attach(lab, "-o", str(shared / "cut"))
    assert (status, report["verdict"]) == (3, "inconclusive")
    assert "1 of 3 nodes did not answer: node3" in report["headline"]


def test_one_node_of_a_job_is_enough(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node1", "json")
    servers.start("node2", "behind")
    status, report, err = attach(lab, "--ask", "1", "-o", str(shared / "one"), nodes="node[1-2]")
    assert (status, report["findings"]) == (0, []), err

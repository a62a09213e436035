"""``slowlink snapshot`` in an allocation of a real Slurm: a step for each node, and a node that Slurm does not have."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]


def snapshot(place: Path, *words: str) -> list[str]:
    """The command line; the bundle is ``place``."""
    given = ("--only", "hostname", "--format", "json", "-o", str(place), *words)
    return [sys.executable, "-m", "slowlink", "snapshot", *given]


def test_every_node_of_the_allocation(slurm: Lab, shared: Path) -> None:
    place = shared / "allocation"
    done = slurm.exec("node1", ["salloc", "--quiet", "--nodes=4", *snapshot(place)], timeout_s=100)
    assert "asking node[1-4] (SLURM_JOB_NODELIST=node[1-4]); slurm: inside the allocation" in done.stderr
    assert "4 of 4 nodes answered" in done.stderr, done.stderr
    assert json.loads(done.stdout)["facts"]["nodes_asked"] == "node[1-4]"
    for node in slurm.nodes:
        text = (place / "captures" / "state" / node / "stdout").read_text()
        assert f" host {node} node {node} at " in text.splitlines()[0]


def test_a_node_that_is_not_in_it(slurm: Lab, shared: Path) -> None:
    argv = snapshot(shared / "outside", "--on", "slurm", "--nodes", "node1,node4")
    done = slurm.exec("node1", ["salloc", "--quiet", "--nodelist=node[1-3]", "--nodes=3", *argv], timeout_s=100)
    assert done.returncode == 3
    assert "1 of 2 nodes answered; unknown: node4" in done.stderr, done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["cause"], [each["name"] for each in found["suspects"]]) == ("nodes-unanswered", ["node4"])

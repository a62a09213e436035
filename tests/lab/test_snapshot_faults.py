"""Sixteen GPU nodes, seven planted faults: all are found, on the right nodes, and nothing else; the twin is healthy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from lab.gpu_nodes import ROOT, GpuNodes, Told, gpu_nodes
from slowlink.simulate.node_state.description import Busy, SimulatedNode
from slowlink.simulate.node_state.kernel_files import symbol_errors_path

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

COUNT = 16
# Errors of long ago, on three ports: counters of a lifetime are no fault.
HEALTHY = [
    SimulatedNode(f"node{number}", number, symbol_errors=(0, 5) if number in (2, 6, 9) else ())
    for number in range(1, COUNT + 1)
]
FAULTS: dict[str, dict[str, Any]] = {
    "node3": {"acs": True},
    "node5": {"governor": "powersave"},
    "node7": {"driver": "550.90.07"},
    "node8": {"peermem": False},
    "node11": {"slow_port": 2},
    "node13": {"busy": Busy(gpu=1)},
}
GROWING = "node15"
_GROWS = 'n=5; while :; do n=$((n + 9)); echo "$n" >"$2"; mv "$2" "$1"; sleep 0.3; done'
"""As the kernel does it, the file is never empty in between."""


@pytest.fixture(scope="module")
def cluster(lab_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuNodes]:
    with gpu_nodes(tmp_path_factory.mktemp("gpu-nodes").resolve(), COUNT) as made:
        yield made


@pytest.fixture
def healthy(cluster: GpuNodes) -> Iterator[GpuNodes]:
    for node in cluster.lab.nodes:
        shutil.rmtree(cluster.root(node), ignore_errors=True)
    cluster.become(HEALTHY)
    yield cluster
    cluster.lab.sweep()


def suspects(told: Told) -> dict[str, list[str]]:
    """Cause -> the nodes that it is about."""
    return {
        found["cause"]: [each["name"] for each in found["suspects"] if each["kind"] == "node"]
        for found in told.report["findings"]
    }


def test_seven_faults(healthy: GpuNodes, tmp_path: Path) -> None:
    shutil.rmtree(healthy.root("node8"))  # what a module leaves behind must not lie there from before
    healthy.become([replace(node, **FAULTS.get(node.name, {})) for node in HEALTHY])
    counter = f"{ROOT}/root/{symbol_errors_path(1)}"
    healthy.lab.popen(GROWING, ["sh", "-c", _GROWS, "grow", counter, f"{ROOT}/root/growing"])
    told = healthy.snapshot(tmp_path / "sick")
    assert told.status == 1, told.err
    assert told.report["verdict"] == "degraded"
    found = {cause: nodes for cause, nodes in suspects(told).items() if cause != "node-differs"}
    assert found == {
        "acs-enabled": ["node3"],
        "cpu-governor-not-performance": ["node5"],
        "version-mismatch": ["node7"],
        "peer-memory-missing": ["node8"],
        "port-rate-low": ["node11"],
        "gpu-busy": ["node13"],
        "link-errors": ["node15"],
    }
    # The comparison of nodes may name what differs, on these nodes only.
    assert set(suspects(told).get("node-differs", [])) <= {*FAULTS, GROWING}


def test_the_healthy_twin(healthy: GpuNodes, tmp_path: Path) -> None:
    told = healthy.snapshot(tmp_path / "well")
    assert (told.status, told.causes) == (0, {}), told.err
    report = told.report
    assert report["verdict"] == "healthy"
    assert [each for each in report["outcomes"] if each["outcome"] == "broken"] == []
    proofs = "\n".join(report["facts"]["proofs"])
    for proved in (
        "ACS redirects nothing",
        "64 ports are Active at 400 Gb/s",
        "error counters of 64 ports did not grow",
    ):
        assert proved in proofs
    assert report["facts"]["nodes_asked"] == "node[1-16]"


def test_dead_nodes_are_unknown(healthy: GpuNodes, tmp_path: Path) -> None:
    lab = healthy.lab
    lab.kill("node4")
    lab.cut("node9")
    try:
        told = healthy.snapshot(tmp_path / "part")
    finally:
        lab.join("node4")
        lab.join("node9")
        lab.exec("node4", ["ln", "-s", str(healthy.root("node4").parent), ROOT])
    assert told.status == 3, told.err
    assert suspects(told) == {"nodes-unanswered": ["node4", "node9"]}
    assert told.report["verdict"] == "inconclusive"
    # How long a lost neighbour is remembered decides which of the two ssh is told.
    assert re.match(
        r"inconclusive: .*(no route to it|no answer on the ssh port).*; what these 2 nodes do is unknown",
        told.report["headline"],
    )
    assert "14 of 16 nodes answered; unknown: node[4,9]" in told.err

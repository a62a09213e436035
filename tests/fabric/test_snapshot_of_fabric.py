"""``slowlink snapshot --fabric`` on one host of a simulated fabric: the whole way, from the command to the finding."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from fabric.simulated import ASKED, Fabric, simulated, topology

pytestmark = [pytest.mark.ibsim, pytest.mark.usefixtures("ibsim_possible")]
ONLY = ("fabric-links", "fabric-errors", "fabric-manager", "fabric-recount")


def snapshot(fabric: Fabric, place: Path, growing: str = "") -> dict[str, set[str]]:
    """Cause -> suspects of a snapshot. ``growing``: a port whose counter of symbol errors grows meanwhile."""
    report = place / "report.json"
    only = [word for name in ONLY for word in ("--only", name)]
    argv = [sys.executable, "-m", "slowlink", "snapshot", "--fabric", *only, "-o", str(place / "b"), "-o", str(report)]
    running = subprocess.Popen(
        argv,
        env={**fabric.environment, "SIM_HOST": ASKED, "HOME": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for errors in count(100):
        try:
            said, _ = running.communicate(timeout=0.4)
            break
        except subprocess.TimeoutExpired:
            assert errors < 400, "the snapshot does not end"
            if growing:
                fabric.command(f"PerformanceSet {growing} PortCounters.SymbolErrorCounter={errors}")
    assert report.exists(), said
    found = json.loads(report.read_text())["diagnoses"]
    return {each["cause"]: {suspect["name"] for suspect in each["suspects"]} for each in found}


def test_faults_are_named_by_a_snapshot(ibsim_possible: None, tmp_path: Path) -> None:
    (tmp_path / "ibsim").mkdir()
    for name in ("healthy", "growing", "unlinked"):
        (tmp_path / name).mkdir()
    with simulated(tmp_path / "ibsim", topology()) as fabric:
        assert snapshot(fabric, tmp_path / "healthy") == {}
        assert snapshot(fabric, tmp_path / "growing", '"node11"[1]') == {"link-errors": {"node11/1", "node11"}}
        fabric.command('PerformanceSet "node11"[1] PortCounters.SymbolErrorCounter=0', 'Unlink "leaf2"[5]')
        assert snapshot(fabric, tmp_path / "unlinked") == {"port-down": {"leaf2/5"}}

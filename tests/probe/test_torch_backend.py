"""The torch back end over a fake process group; over gloo itself where torch is installed."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import fake_torch
import pytest

from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.errors import SlowlinkError
from slowlink.probe import torch_backend
from slowlink.probe.launched import Launched
from slowlink.probe.options import parse_options
from slowlink.probe.sweep import sweep

ALONE = Launched(0, 1, "")


@pytest.fixture
def dist(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "")  # so that what the back end sets is taken back
        monkeypatch.delenv(name)
    modules = fake_torch.modules()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules["torch.distributed"]


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_every_collective(dist: Any, collective: str) -> None:
    backend = torch_backend.open_backend("gloo", ALONE)
    out = io.StringIO()
    options = parse_options([collective, "-b", "64", "-e", "4K", "-f", "64", "-n", "3", "--backend", "gloo"])
    assert sweep(backend, options, out) == 0
    rows = [line.split() for line in out.getvalue().splitlines() if not line.startswith("#")]
    absent = slice(5, 9) if collective in ("all_reduce", "broadcast", "reduce") else slice(9, 13)
    assert [row[absent] for row in rows] == [["N/A"] * 4] * 2
    assert "0" in {row[8] for row in rows} | {row[12] for row in rows}
    assert 'library "torch 9.9 gloo"' in out.getvalue()
    backend.close()
    assert dist.destroyed == [True]


def test_wrong_results_are_seen(dist: Any) -> None:
    dist.all_gather_into_tensor = lambda recv, send: None
    backend = torch_backend.open_backend("gloo", ALONE)
    assert sweep(backend, parse_options(["all_gather", "-e", "64", "--backend", "gloo"]), io.StringIO()) == 1


def test_no_gpu_and_no_meeting_point_are_said(dist: Any) -> None:
    with pytest.raises(SlowlinkError, match="torch sees no GPU here"):
        torch_backend.open_backend("nccl", ALONE)
    with pytest.raises(SlowlinkError, match="MASTER_ADDR and MASTER_PORT are not set"):
        torch_backend.open_backend("gloo", Launched(1, 2, "srun"))
    assert dist.started == []


def test_ranks_of_the_launcher_are_used(dist: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTER_ADDR", "node01")
    monkeypatch.setenv("MASTER_PORT", "29517")
    torch_backend.open_backend("gloo", Launched(1, 2, "srun"))
    assert dist.started == [{"backend": "gloo", "rank": 1, "world_size": 2}]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_gloo_itself() -> None:
    command = [sys.executable, "-m", "slowlink.probe", "all_reduce", "--backend", "gloo", "-e", "1K"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr

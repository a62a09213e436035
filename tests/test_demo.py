"""The demo's logs are what the simulation writes, and they show what the README says."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from slowlink.catalog.infer import given_hardware
from slowlink.workflows.analyze import analyze

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "demo" / "logs"


def test_demo_logs_are_as_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    from make_demo_logs import demo_logs  # type: ignore[import-not-found]

    for name, content in demo_logs().items():
        assert gzip.decompress((LOGS / name).read_bytes()) == gzip.decompress(content), "run tools/make_demo_logs.py"


@pytest.mark.parametrize(
    ("name", "verdict", "causes"),
    [("degraded-2nodes.log.gz", "degraded", ["gdr-disabled"]), ("healthy-2nodes.log.gz", "healthy", [])],
)
def test_demo_shows_the_sick_job_and_its_healthy_twin(name: str, verdict: str, causes: list[str]) -> None:
    report = analyze(LOGS / name, hardware=given_hardware(nics="2x200"))
    assert report.verdict == verdict
    assert [d.cause for d in report.diagnoses] == causes
    if causes:
        assert [s.name for s in report.diagnoses[0].suspects] == ["node07"]

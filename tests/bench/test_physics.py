from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def physics() -> ModuleType:
    """``bench/physics.py``: a script, no part of the package."""
    spec = importlib.util.spec_from_file_location("physics", ROOT / "bench" / "physics.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["physics"] = module
    spec.loader.exec_module(module)
    return module


def test_the_catalogue_counts_the_results_that_stand_behind_a_class(physics: ModuleType) -> None:
    written = (ROOT / "src" / "slowlink" / "catalog" / "published.toml").read_text(encoding="utf-8")
    assert physics.published() == written, "run: python bench/physics.py --published"


def test_no_healthy_result_of_either_half_leaves_its_band_or_passes_its_bound(physics: ModuleType) -> None:
    healthy = [row for row in physics.read_rows(physics.ROWS) if row.entry["status"] == "healthy"]
    assert [row.entry["row"] for row in healthy if row.place != "in"] == []
    assert {half: sum(row.half == half for row in healthy) for half in physics.HALVES} == {"seen": 29, "unseen": 36}


def test_nine_of_ten_slow_results_lie_below_their_band(physics: ModuleType) -> None:
    slow = [row for row in physics.read_rows(physics.ROWS) if row.entry["status"] == "slow"]
    assert [row.entry["row"] for row in slow if row.place != "below"] == ["35"]  # within the band of a ring


def test_the_table_of_errors_has_a_line_for_each_half(physics: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    physics.main(["--half", "seen", "--verbose"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["half", "status", "rows", "in", "below", "above", "none", "median", "90th"]
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["seen", "healthy", "29"],
        ["seen", "slow", "4"],
        ["seen", "unknown", "15"],
    ]
    assert any("hgx_b200" in line and "nvls" in line for line in lines[7:])


def test_errors_are_summed_up_by_interpolated_ranks(physics: ModuleType) -> None:
    assert physics._ninth([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(0.45)

from __future__ import annotations

import sys

import pytest
from sample_reports import bimodal, degraded, inconclusive

from slowlink.errors import SlowlinkError
from slowlink.report.dataframe import points_frame


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_one_row_for_each_point(library: str) -> None:
    pytest.importorskip(library)
    report = bimodal()
    frame = points_frame(report, library)  # type: ignore[arg-type]
    assert len(frame) == sum(len(sweep.points) for sweep in report.sweeps)
    assert next(iter(frame["sweep"])) == 0
    assert list(frame["sweep"])[-1] == 1
    assert set(frame["nranks"]) == {32}
    assert list(frame["busbw_gbs"])[-1] == report.sweeps[1].points[-1].busbw_gbs
    assert sum(len(times) for times in frame["iterations_us"]) == 40


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_report_without_points_is_an_empty_frame(library: str) -> None:
    pytest.importorskip(library)
    frame = points_frame(inconclusive(), library)  # type: ignore[arg-type]
    assert len(frame) == 0
    assert "busbw_gbs" in list(frame.columns)


@pytest.mark.parametrize(
    ("library", "hint"), [("auto", "slowlink[pandas]"), ("pandas", "slowlink[pandas]"), ("polars", "slowlink[polars]")]
)
def test_a_missing_library_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch, library: str, hint: str) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(SlowlinkError) as caught:
        points_frame(degraded(), library)  # type: ignore[arg-type]
    assert caught.value.slug == "dataframe-missing"
    assert hint in caught.value.hint


def test_auto_takes_polars_when_pandas_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(points_frame(degraded()), polars.DataFrame)


def test_an_unknown_library_is_an_error() -> None:
    with pytest.raises(SlowlinkError, match="arrow"):
        points_frame(degraded(), "arrow")  # type: ignore[arg-type]

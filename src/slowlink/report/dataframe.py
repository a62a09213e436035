"""Measured points as a data frame, for those who compute further with pandas or polars."""

from __future__ import annotations

from typing import Any, Literal

from slowlink.errors import SlowlinkError
from slowlink.model.report import Report

Library = Literal["auto", "pandas", "polars"]

_SWEEP_COLUMNS = ("collective", "nranks", "nnodes", "datatype", "redop", "engine", "library", "gpu", "source")
_POINT_COLUMNS = (
    "size_bytes",
    "count",
    "placement",
    "time_us",
    "algbw_gbs",
    "busbw_gbs",
    "wrong",
    "line",
    "doubt",
)


def _columns(report: Report) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in ("sweep", *_SWEEP_COLUMNS, *_POINT_COLUMNS, "iterations_us")}
    for index, sweep in enumerate(report.sweeps):
        for point in sweep.points:
            columns["sweep"].append(index)
            for name in _SWEEP_COLUMNS:
                columns[name].append(getattr(sweep, name))
            for name in _POINT_COLUMNS:
                columns[name].append(getattr(point, name))
            columns["iterations_us"].append(list(point.iterations_us))
    return columns


def points_frame(report: Report, library: Library = "auto") -> Any:
    """One row for each measured point: the number of its sweep, the sweep's columns, the point's columns.

    Sizes are bytes, times microseconds, bandwidths GB/s (1e9 bytes). ``doubt`` says why a point must not be
    used as a number; it is null where it may. ``auto`` takes pandas, else polars. Raises ``SlowlinkError``
    (``dataframe-missing``) when the library is not installed.
    """
    for name in ("pandas", "polars") if library == "auto" else (library,):
        try:
            return _frame(name, _columns(report))
        except ImportError:
            continue
    wanted = "pandas or polars" if library == "auto" else library
    extra = "pandas" if library == "auto" else library
    raise SlowlinkError(
        f"a data frame needs {wanted}, which is not installed",
        hint=f"pip install 'slowlink[{extra}]'",
        slug="dataframe-missing",
    )


def _frame(name: str, columns: dict[str, list[Any]]) -> Any:
    if name == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if name == "polars":
        import polars

        return polars.DataFrame(columns, strict=False)
    raise SlowlinkError(f"there is no data frame library {name!r}", hint="pandas or polars", slug="usage")

"""Plain values of the tables of collective benchmarks: one value a table, in order of source and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from slowlink.model.benchmark import CollectiveRun, Point
from slowlink.model.facts import MeasuredSweep, Sweeps

T = TypeVar("T")


_RULES = " \t=-#*_~:"
"""What people draw around a heading."""


def distinct(values: Iterable[T | None]) -> list[T]:
    """Values in order of first appearance, without None and without repeats."""
    return list(dict.fromkeys(value for value in values if value is not None))


def middle(values: Sequence[float]) -> float | None:
    """Median; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def is_table(run: CollectiveRun) -> bool:
    """A preamble alone is no table: a table header or a row makes one."""
    return bool(run.columns) or run.rows > 0


def summarise_tables(sweeps: Sweeps | None) -> dict[str, object]:
    """Values of every table, as lists with one entry a table, and of the runs around them.

    Bandwidths are GB/s, times microseconds, sizes bytes. Points with a doubt count as rows only.
    """
    if sweeps is None:
        return {}
    tables = [sweep for sweep in sweeps.all if is_table(sweep.run)]
    values: dict[str, object] = {"tables": len(tables)}
    values.update(_runs(sweeps.all))
    for part in (_shape, _bandwidth, _correctness, _by_size, _iterations):
        values.update(part(tables))
    values.update(_footers(tables or [sweep for sweep in sweeps.all if sweep.run.concluded]))
    return values


def _footers(sweeps: Sequence[MeasuredSweep]) -> dict[str, object]:
    """What stands below each table; below no table when only the end of an output is there."""
    runs = [sweep.run for sweep in sweeps]
    return {
        "average_busbw_gbs": [run.average_busbw_gbs for run in runs],
        "average_lines": [run.average_ref.line if run.average_ref else None for run in runs],
        "average_failed": any(run.average_failed for run in runs),
        "out_of_bounds": [run.out_of_bounds for run in runs],
        "out_of_bounds_failed": any(run.out_of_bounds_failed for run in runs),
        "concluded": [run.concluded for run in runs],
    }


def _runs(sweeps: Sequence[MeasuredSweep]) -> dict[str, object]:
    """What every run tells, a preamble without any table too."""
    runs = [sweep.run for sweep in sweeps]
    devices = [device for run in runs for device in run.devices]
    values: dict[str, object] = {
        "runs": len(runs),
        "preambles": sum(1 for run in runs if run.devices or run.parameters or run.tests_version),
        "tools": distinct(run.tool for run in runs),
        "collectives": [sweep.collective for sweep in sweeps],
        "programs": distinct(run.program for run in runs),
        "tests_versions": distinct(run.tests_version for run in runs),
        "parameters": _parameters(runs),
        "truncated": any(not sweep.complete for sweep in sweeps),
        "incomplete_runs": sum(1 for sweep in sweeps if not sweep.complete),
        "interleaved": any(sweep.interleaved for sweep in sweeps),
        "test_errors": [ref.text.strip() for run in runs for ref in run.errors],
        "test_failures": sum(1 for run in runs for ref in run.errors if not ref.text.lstrip().startswith("..")),
        "captions": distinct(run.caption.strip(_RULES) for run in runs if run.caption is not None),
    }
    if devices:
        values["device_processes"] = len({(device.host, device.pid) for device in devices})
        values["bus_ids"] = distinct(device.bus_id for device in devices)
        values["devices_listed"] = len(devices)
        values["devices_elided"] = any(run.devices_elided for run in runs)
    if any(run.reduced_max_bytes is not None for run in runs):
        values["reduced_max_bytes"] = distinct(run.reduced_max_bytes for run in runs)
    return values


def _parameters(runs: Sequence[CollectiveRun]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for run in runs:
        for name, value in run.parameters.items():
            texts = found.setdefault(name, [])
            if value not in texts:
                texts.append(value)
    return found


def _shape(tables: Sequence[MeasuredSweep]) -> dict[str, object]:
    """How the tables look: ranks, rows, columns, sizes, and what is missing from them."""
    runs = [sweep.run for sweep in tables]
    sizes = [[point.size_bytes for point in run.points] for run in runs]
    return {
        "table_collectives": [sweep.collective for sweep in tables],
        "table_nranks": [sweep.nranks for sweep in tables],
        "table_nnodes": [sweep.nnodes for sweep in tables],
        "table_hosts": [list(sweep.hosts) for sweep in tables],
        "table_libraries": [
            sweep.library.version if sweep.library else run.nccl_version for sweep, run in _both(tables)
        ],
        "rows": [run.rows for run in runs],
        "rows_total": sum(run.rows for run in runs),
        "header_lines": [run.header.line for run in runs],
        "row_lines": [_lines(point.ref.line for point in run.points) for run in runs],
        "torn_lines": [_lines(ref.line for ref in run.torn_rows) for run in runs],
        "elided_lines": [_lines(ref.line for ref in run.elided) for run in runs],
        "doubtful_lines": [_lines(point.ref.line for point in run.points if point.doubt) for run in runs],
        "columns": [list(run.columns) for run in runs],
        "column_count": [len(run.columns) for run in runs],
        "busbw_column": [_busbw_column(run) for run in runs],
        "table_formats": [_format(run) for run in runs],
        "datatypes": distinct(point.datatype for run in runs for point in run.points),
        "redops": distinct(point.redop for run in runs for point in run.points),
        "roots": distinct(point.root for run in runs for point in run.points),
        "first_size_bytes": [column[0] if column else None for column in sizes],
        "last_size_bytes": [column[-1] if column else None for column in sizes],
        "min_size_bytes": [min(column, default=None) for column in sizes],
        "max_size_bytes": [max(column, default=None) for column in sizes],
        "size_zero_rows": [len({point.ref.line for point in run.points if point.size_bytes == 0}) for run in runs],
        "masked": any(run.masked for run in runs),
        "complete": [sweep.complete for sweep in tables],
    }


def _busbw_column(run: CollectiveRun) -> int | None:
    """1-based place of the first column that is a bus bandwidth."""
    return next((n for n, name in enumerate(run.columns, 1) if "busbw" in name.lower()), None)


def _format(run: CollectiveRun) -> str:
    """How the table is drawn, by its first line."""
    first = run.header.text.lstrip()
    if first.startswith("|"):
        return "markdown table"
    if first.startswith(("{", "[")):
        return "JSON"
    return "CSV" if first.count(",") > 3 else "text"


def _both(tables: Sequence[MeasuredSweep]) -> list[tuple[MeasuredSweep, CollectiveRun]]:
    return [(sweep, sweep.run) for sweep in tables]


def _lines(numbers: Iterable[int]) -> list[int]:
    return sorted(set(numbers))


def _bandwidth(tables: Sequence[MeasuredSweep]) -> dict[str, object]:
    """Extremes and means of each table, of its usable points; one mean of all printed points, as the tool would.

    ``mean_of_printed_busbw_gbs`` is what the printed average can be checked against.
    """
    busbw = [[p.busbw_gbs for p in sweep.points if p.busbw_gbs is not None] for sweep in tables]
    algbw = [[p.algbw_gbs for p in sweep.points if p.algbw_gbs is not None] for sweep in tables]
    printed = [[p.busbw_gbs for p in sweep.run.points if p.busbw_gbs is not None] for sweep in tables]
    times = [[p.time_us for p in sweep.points if p.time_us is not None] for sweep in tables]
    return {
        "peak_busbw_gbs": [sweep.peak_busbw_gbs for sweep in tables],
        "highest_busbw_gbs": max((p for p in (s.peak_busbw_gbs for s in tables) if p is not None), default=None),
        "peak_size_bytes": [_peak_size(sweep.points) for sweep in tables],
        "first_busbw_gbs": [column[0] if column else None for column in busbw],
        "min_busbw_gbs": [min(column, default=None) for column in busbw],
        "median_busbw_gbs": [middle(column) for column in busbw],
        "mean_of_rows_busbw_gbs": [sum(column) / len(column) if column else None for column in busbw],
        "mean_of_printed_busbw_gbs": [sum(column) / len(column) if column else None for column in printed],
        "last_busbw_gbs": [_last(sweep.points, "out_of_place") for sweep in tables],
        "last_in_place_busbw_gbs": [_last(sweep.points, "in_place") for sweep in tables],
        "peak_algbw_gbs": [max(column, default=None) for column in algbw],
        "min_time_us": [min(column, default=None) for column in times],
        "max_time_us": [max(column, default=None) for column in times],
        "busbw_ratio": [_ratio(sweep.points) for sweep in tables],
    }


def _peak_size(points: Sequence[Point]) -> int | None:
    """The smallest size at which the highest busbw was reached."""
    measured = [(-point.busbw_gbs, point.size_bytes) for point in points if point.busbw_gbs is not None]
    return min(measured)[1] if measured else None


def _last(points: Sequence[Point], placement: str) -> float | None:
    return next((p.busbw_gbs for p in reversed(points) if p.placement == placement), None)


def _ratio(points: Sequence[Point]) -> float | None:
    """busbw/algbw of the point with the largest algbw: it has the most printed digits."""
    fit = [(p.algbw_gbs, p.busbw_gbs) for p in points if p.algbw_gbs and p.busbw_gbs is not None]
    if not fit:
        return None
    algbw, busbw = max(fit)
    return busbw / algbw


def _correctness(tables: Sequence[MeasuredSweep]) -> dict[str, object]:
    runs = [sweep.run for sweep in tables]
    wrong = [point for run in runs for point in run.points if point.wrong]
    values: dict[str, object] = {
        "data_check": [_check(run) for run in runs],
    }
    if any(point.wrong is not None for run in runs for point in run.points):
        values["wrong_total"] = [_wrong_total(run) for run in runs]
        values["wrong_elements"] = [point.wrong for point in wrong]
        values["wrong_sizes_bytes"] = distinct(point.size_bytes for point in wrong)
        values["wrong_lines"] = _lines(point.ref.line for point in wrong)
    return values


def _wrong_total(run: CollectiveRun) -> float | None:
    checked = [point.wrong for point in run.points if point.wrong is not None]
    return sum(checked) if checked else None


def _check(run: CollectiveRun) -> str | None:
    """``OK``, ``FAILED``, ``N/A`` (a column, and nothing was checked); None: the table has no such column."""
    if any(point.wrong for point in run.points) or run.out_of_bounds_failed:
        return "FAILED"
    if any(point.wrong is not None or point.delta is not None for point in run.points):
        return "OK"
    if any("wrong" in name.lower() or "error" in name.lower() for name in run.columns):
        return "N/A"
    return None


def _by_size(tables: Sequence[MeasuredSweep]) -> dict[str, object]:
    """Out-of-place values by message size, in order of tables and rows; in-place ones under other names."""
    readers: dict[str, Callable[[Point], float | None]] = {
        "time_us": lambda point: point.time_us,
        "algbw_gbs": lambda point: point.algbw_gbs,
        "busbw_gbs": lambda point: point.busbw_gbs,
    }
    values: dict[str, object] = {}
    for placement, prefix in (("out_of_place", ""), ("in_place", "in_place_")):
        points = [point for sweep in tables for point in sweep.points if point.placement == placement]
        for name, read in readers.items():
            values[f"{prefix}{name}_by_size"] = _grouped(points, read)
    return values


def _grouped(points: Iterable[Point], read: Callable[[Point], float | None]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for point in points:
        value = read(point)
        if value is not None:
            found.setdefault(str(point.size_bytes), []).append(value)
    return found


def _iterations(tables: Sequence[MeasuredSweep]) -> dict[str, object]:
    points = [point for sweep in tables for point in sweep.run.points]
    values: dict[str, object] = {}
    if any(point.iterations_us for point in points):
        values["iterations_recorded"] = max(len(point.iterations_us) for point in points)
    if any(point.cycle for point in points):
        values["cycles"] = [max((p.cycle for p in sweep.run.points), default=0) + 1 for sweep in tables]
    for name in distinct(name for point in points for name in point.iteration_stats):
        column = [point.iteration_stats[name] for point in points if name in point.iteration_stats]
        values[f"iteration_{name}"] = {"lowest": min(column), "highest": max(column)}
    used = distinct(point.algorithm for point in points)
    if used:
        values["row_algorithms"] = used
    protocols = distinct(point.protocol for point in points)
    if protocols:
        values["row_protocols"] = protocols
    return values

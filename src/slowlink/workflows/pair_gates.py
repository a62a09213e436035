"""Gates of a perftest run: every pair of HCAs printed its table, and none is slower than asked for."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink import exits
from slowlink.model.report import Report
from slowlink.workflows.gates import Gate, asked_for


def pair_gates(report: Report, tables: int, min_gbit: float | None) -> tuple[Gate, ...]:
    """``tables``: how many there should be, over all launches. ``min_gbit``: Gb/s, of the best size of each. Pure.

    No gate for tables where all are there: that alone says nothing about the speed.
    """
    rows = _numbers(report.facts.get("perftest_rows"))
    found = sum(1 for count in rows if count)
    gates = []
    if found < tables:
        gates.append(Gate("tables", exits.INCONCLUSIVE, f"{found} of {tables} tables of perftest were printed"))
    if min_gbit is not None:
        values = _numbers(report.facts.get("perftest_bw_average_gbit_max"))
        gates.append(asked_for(_min_gbit(values, min_gbit, found >= tables)))
    return tuple(gates)


def _min_gbit(values: Sequence[float], threshold: float, all_there: bool) -> Gate:
    name = f"bandwidth >= {threshold:g} Gb/s"
    if not values:
        return Gate(name, exits.INCONCLUSIVE, "nothing was measured")
    text = f"{min(values):.4g} Gb/s" + (f" is the lowest of {len(values)}" if len(values) > 1 else "")
    if min(values) < threshold:
        return Gate(name, exits.FINDINGS, text)
    if not all_there:
        return Gate(name, exits.INCONCLUSIVE, f"{text}, but not all were measured")
    return Gate(name, exits.HEALTHY, text)


def _numbers(values: object) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float)] if isinstance(values, list) else []

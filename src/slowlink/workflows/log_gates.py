"""Gates on logs that are there already: every collective that they show must hold the thresholds."""

from __future__ import annotations

from slowlink import exits
from slowlink.expect.plateau import plateau_busbw
from slowlink.model.report import Report, Sweep
from slowlink.workflows.gate_grounds import with_grounds
from slowlink.workflows.gates import Gate, Judged, Measured, asked_for, min_share_gate


def judge_log(report: Report, min_busbw_gbs: float | None, min_share: float | None) -> Judged:
    """``min_share``: of the bound of the hardware. Pure."""
    measured = tuple(map(_measured, report.sweeps))
    measurement, thresholds = _measurement(measured), []
    if min_busbw_gbs is not None:
        thresholds.append(_min_busbw(measured, min_busbw_gbs, measurement))
    if min_share is not None:
        thresholds.append(min_share_gate(report, measured, min_share, measurement))
    return with_grounds(Judged(measured, (), (measurement, *map(asked_for, thresholds))), report)


def _measured(sweep: Sweep) -> Measured:
    value = plateau_busbw(sweep)
    wrong = any(point.wrong for point in sweep.points)
    problems = (
        *(() if sweep.complete else ("the table is not complete",)),
        *(("results are wrong",) if wrong else ()),
        *(("no row has a usable bandwidth",) if value is None else ()),
    )
    return Measured(f"{sweep.collective or 'collective'} {sweep.source}:{sweep.line}", sweep, value, problems, wrong)


def _measurement(measured: tuple[Measured, ...]) -> Gate:
    if not measured:
        return Gate("measurement", exits.INCONCLUSIVE, "no collective was measured in what was read")
    bad = [f"{each.name}: {', '.join(each.problems)}" for each in measured if each.problems]
    if not bad:
        tables = "1 table" if len(measured) == 1 else f"{len(measured)} tables"
        return Gate("measurement", exits.HEALTHY, f"{tables} complete, nothing wrong in the results")
    wrong = any(each.wrong for each in measured)
    return Gate("measurement", exits.FINDINGS if wrong else exits.INCONCLUSIVE, "; ".join(bad))


def _min_busbw(measured: tuple[Measured, ...], threshold: float, measurement: Gate) -> Gate:
    name = f"busbw >= {threshold:g} GB/s"
    values = [(each.plateau_gbs, each.name) for each in measured if each.plateau_gbs is not None]
    if not values:
        return Gate(name, exits.INCONCLUSIVE, "nothing was measured")
    value, where = min(values)
    text = f"plateau {value:.4g} GB/s" + (f" of {where} is the lowest of {len(values)}" if len(values) > 1 else "")
    if value < threshold:
        return Gate(name, exits.FINDINGS, text)
    if not measurement.passed:
        return Gate(name, exits.INCONCLUSIVE, f"{text}, but the measurement does not count")
    return Gate(name, exits.HEALTHY, text)

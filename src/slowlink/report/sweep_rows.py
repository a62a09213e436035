"""The table of sweeps: what was measured, where its peak lies and how far that is from the expected."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.report import Expectation, Report, Sweep, SweepPoint
from slowlink.report.wording import band, count, number, size_range
from slowlink.units import format_size


class SweepRow(Struct, frozen=True):
    """One sweep as a row of the table, with the sentence that derives what was expected of it."""

    name: str
    """``job.log:12``."""
    line: str
    """``line 12``, for reports about one file."""
    collective: str
    ranks: str
    nodes: str
    sizes: str
    peak: str
    """Peak bus bandwidth in GB/s."""
    at_size: str
    expected: str
    """Healthy band in GB/s; "" when nothing is known to expect."""
    share: str
    """Peak as a part of the bound, which is the upper end of the band: ``24 %``."""
    state: str
    """``below``, ``within`` or ``above`` the band; ``unknown`` without one."""
    basis: str
    engine: str
    notes: tuple[str, ...]


def sound(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """The points that can be used as numbers."""
    return [point for point in points if point.doubt is None and point.busbw_gbs is not None]


def peak_point(sweep: Sweep) -> SweepPoint | None:
    """The point with the highest bus bandwidth."""
    return max(sound(sweep.points), key=lambda point: point.busbw_gbs or 0.0, default=None)


class Expected:
    """The finite expectations of a report, found by the sweep that they are about."""

    def __init__(self, report: Report) -> None:
        self._by_name: dict[str, list[Expectation]] = {}
        for each in report.expectations:
            if all(math.isfinite(value) for value in (each.value, each.low, each.high)):
                self._by_name.setdefault(each.subject, []).append(each)
                # The collective stands before the name of the sweep, which may hold blanks itself.
                self._by_name.setdefault(each.subject.partition(" ")[2], []).append(each)

    def of(self, sweep: Sweep) -> dict[str, Expectation]:
        """About this sweep, by quantity (``busbw``, ``busbw:ring`` ...)."""
        found: dict[str, Expectation] = {}
        for expectation in self._by_name.get(f"{sweep.source}:{sweep.line}", ()):
            found.setdefault(expectation.quantity, expectation)
        return found


def sweep_rows(report: Report) -> tuple[SweepRow, ...]:
    """One row for each sweep, in the report's order."""
    expected = Expected(report)
    return tuple(_row(sweep, expected.of(sweep).get("busbw")) for sweep in report.sweeps)


def _state(peak: float | None, expected: Expectation | None) -> str:
    if peak is None or expected is None:
        return "unknown"
    if peak < expected.low:
        return "below"
    return "above" if peak > expected.high else "within"


def _row(sweep: Sweep, expected: Expectation | None) -> SweepRow:
    best = peak_point(sweep)
    peak = sweep.peak_busbw_gbs
    if peak is None and best is not None:
        peak = best.busbw_gbs
    share = ""
    if expected is not None and peak is not None and expected.high > 0:
        share = f"{100 * peak / expected.high:.0f} %"
    return SweepRow(
        name=f"{sweep.source}:{sweep.line}" if sweep.line else sweep.source,
        line=f"line {sweep.line}" if sweep.line else sweep.source,
        collective=sweep.collective or "?",
        ranks=str(sweep.nranks) if sweep.nranks is not None else "?",
        nodes=str(sweep.nnodes) if sweep.nnodes is not None else "?",
        sizes=size_range([point.size_bytes for point in sweep.points]),
        peak=number(peak),
        at_size=format_size(best.size_bytes) if best else "-",
        expected=band(expected) if expected else "",
        share=share,
        state=_state(peak, expected),
        basis=expected.basis if expected else "",
        engine=sweep.engine,
        notes=_notes(sweep),
    )


def _notes(sweep: Sweep) -> tuple[str, ...]:
    doubts = [point.doubt for point in sweep.points if point.doubt is not None]
    wrong = sum(1 for point in sweep.points if point.wrong)
    notes = [] if sweep.complete else ["did not come to its end"]
    if wrong:
        notes.append(f"{count(wrong, 'point')} with wrong results")
    if doubts:
        notes.append(f"{count(len(doubts), 'point')} not used as numbers ({doubts[0]})")
    return tuple(notes)

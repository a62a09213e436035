"""A series as a picture for a page: a dot for each run, a line where its level changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from slowlink.model.history import ShownSeries
from slowlink.report.drawing import Drawing
from slowlink.report.figures import nice_ceiling
from slowlink.report.history.runs import moment

_WIDTH, _HEIGHT = 760.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 68.0, 16.0, 26.0, 34.0
_MOST_DOTS = 400
_MARKS = 5
_CLOSE = 0.3
"""Values that differ by less of themselves are drawn on an axis that does not begin at 0: it says so."""


def series_svg(shown: ShownSeries, title: str, page_of_run: str) -> str:
    """``page_of_run``: what stands before a run's number in the address of its page."""
    svg = Drawing(_WIDTH, _HEIGHT, title, "curve series")
    low, high, mark = _axis([each.value for each in shown.values])
    first, last = shown.values[0].at, shown.values[-1].at
    span = (last - first) or 1.0

    def across(at: float) -> float:
        return _LEFT + 8 + (_WIDTH - _LEFT - _RIGHT - 16) * ((at - first) / span if last > first else 0.5)

    def up(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - (value - low) / (high - low))

    for step in range(round((high - low) / mark) + 1):
        value = low + mark * step
        svg.line(_LEFT, up(value), _WIDTH - _RIGHT, up(value), "grid")
        svg.text(_LEFT - 8, up(value) + 4, f"{value:.6g}", "tick", "end")
    svg.text(_LEFT, _HEIGHT - 10, moment(first)[:10], "tick")
    svg.text(_WIDTH - _RIGHT, _HEIGHT - 10, moment(last)[:10], "tick", "end")
    svg.text(6, _TOP - 14, shown.unit, "axis")
    _levels(svg, shown, across, up)
    for number in _drawn(shown):
        each = shown.values[number]
        words = f"run {each.run_id}: {each.value:.4g} {shown.unit}, {moment(each.at)} UTC"
        svg.dot(across(each.at), up(each.value), 2.8, "dot out_of_place", words, f"{page_of_run}{each.run_id}")
    return svg.markup()


def _axis(values: Sequence[float]) -> tuple[float, float, float]:
    """From, to, and the step between two marks."""
    least, most = min(values), max(values)
    if most - least >= _CLOSE * most:
        top = nice_ceiling(most)
        return 0.0, top, top / _MARKS
    step = nice_ceiling(max(most - least, most * 0.02) / _MARKS)
    low = math.floor(least / step) * step
    return low, low + step * max(math.ceil((most - low) / step), 1), step


def _levels(svg: Drawing, shown: ShownSeries, across: Callable[[float], float], up: Callable[[float], float]) -> None:
    """The median of each level, and a mark where a new one begins."""
    starts = [tied.change.index for tied in shown.changes]
    for begin, end in zip((0, *starts), (*starts, len(shown.values)), strict=True):
        values = sorted(each.value for each in shown.values[begin:end])
        if values:
            y = up(values[len(values) // 2])
            svg.line(across(shown.values[begin].at), y, across(shown.values[end - 1].at), y, "level")
    for tied in shown.changes:
        x = across(tied.at)
        svg.line(x, _TOP, x, _HEIGHT - _BOTTOM, f"change {tied.outcome}")
        svg.text(x, _TOP - 5, f"{tied.change.ratio - 1:+.1%}", f"change-label {tied.outcome}", "middle")


def _drawn(shown: ShownSeries) -> list[int]:
    """The newest value and the first of each level always; of many others one in so many."""
    count = len(shown.values)
    stride = math.ceil(count / _MOST_DOTS)
    return sorted({*range(0, count, stride), count - 1, *(tied.change.index for tied in shown.changes)})

"""Rows of a running benchmark, as they come: read by the parser that also reads the finished text."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from slowlink.launch.streams import LineSplitter

if TYPE_CHECKING:
    from slowlink.model.benchmark import CollectiveRun, Point
    from slowlink.model.source import Line

_MOST_LINES = 4000
"""More lines than any table has; a program that prints more is not shown while it runs, only analyzed."""


class LiveRow(Struct, frozen=True):
    """One size, as far as it is printed. None: not measured or not readable."""

    size_bytes: int
    time_us: float | None
    algbw_gbs: float | None
    busbw_gbs: float | None
    """The better one of out of place and in place."""
    wrong: float | None
    line: int = 0
    """Where it stands in what was printed."""


class LiveTable:
    """Takes standard output in pieces, gives rows when they are whole."""

    def __init__(self) -> None:
        self._lines = LineSplitter()
        self._wanted: list[Line] = []
        self._number = 0
        self._given = 0

    def load(self) -> None:
        """Load the parser. For the time in which the ranks start: later it would delay the first row."""
        import_module("slowlink.parsers.benchmarks.nccl_tests")

    def feed(self, chunk: bytes) -> list[LiveRow]:
        """Rows that ``chunk`` completes."""
        from slowlink.model.source import Line
        from slowlink.parsers.benchmarks.nccl_tests import PARSER

        fresh = False
        for text in self._lines.feed(chunk):
            self._number += 1
            if len(self._wanted) < _MOST_LINES and PARSER.wants(text):
                self._wanted.append(Line("live", self._number, text))
                fresh = True
        return self._new_rows() if fresh else []

    def _new_rows(self) -> list[LiveRow]:
        from slowlink.model.benchmark import CollectiveRun
        from slowlink.parsers.benchmarks.nccl_tests import PARSER

        parser = PARSER()
        for line in self._wanted:
            parser.feed(line)
        rows = [row for run in parser.finish() if isinstance(run, CollectiveRun) for row in _rows(run)]
        new, self._given = rows[self._given :], max(self._given, len(rows))
        return new


def _rows(run: CollectiveRun) -> list[LiveRow]:
    by_line: dict[int, list[Point]] = {}
    for point in run.points:
        if point.doubt is None:
            by_line.setdefault(point.ref.line, []).append(point)
    return [_row(points) for points in by_line.values()]


def _row(points: list[Point]) -> LiveRow:
    best = max(points, key=lambda point: point.busbw_gbs or 0.0)
    wrong = [point.wrong for point in points if point.wrong is not None]
    return LiveRow(
        best.size_bytes, best.time_us, best.algbw_gbs, best.busbw_gbs, sum(wrong) if wrong else None, points[0].ref.line
    )


def noted(rows: Sequence[LiveRow], at: float) -> str:
    """What is kept of rows that came at this time (``parsers.context.row_times``)."""
    return "".join(f"slowlink-row {row.line} {at:.3f}\n" for row in rows)


def sizes(min_bytes: int, max_bytes: int, factor: int) -> tuple[int, ...]:
    """The sizes of a sweep that multiplies."""
    found = [max(min_bytes, 1)]
    while factor > 1 and found[-1] * factor <= max_bytes:
        found.append(found[-1] * factor)
    return tuple(found)

"""Finds lines that are read as their shapes are among those of one part."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from slowlink.parsers.reading.rows.heard import HeardInRows
from slowlink.parsers.reading.rows.row_plans import RowPlan, Spans

NO_SHAPE = 0
_TIMES = 4
"""So often lines of a shape are looked at one by one: to learn how all of them are read takes as long."""


class Rows(NamedTuple):
    """Of one stream."""

    stream: str
    places: array[int]
    starts: array[int]
    kinds: array[int]
    values: array[float]
    numbers: array[int]
    tally: list[tuple[int, int, int]]
    """Of each kind: how many rows there are, and which is the first."""
    befores: list[tuple[int, int, int]]
    """Rows from which on another line is the last that was passed over, its place, and where it begins."""


class Stretch(NamedTuple):
    """Rows, and what may stand between them; or that alone."""

    end: int
    """The first line that is none of this."""
    blank: int
    nobodys: int
    passed: list[tuple[str, int]]
    """Of each stream with such: the last line that is nobody's."""
    rows: list[Rows]


class SiftedRows:
    """Learns shapes as lines of them come, each when a few were looked at: most shapes have but one or two."""

    def __init__(self, native: Any, shapes: bytes) -> None:
        """``native``: of the same lines; ``shapes``: the number of each line's shape."""
        self._native = native
        self._shapes = memoryview(shapes).cast("H")
        self._seen: Counter[int] = Counter()
        self._is_known: dict[int, bool] = {}
        self.plans: list[RowPlan] = []

    @property
    def heard(self) -> HeardInRows:
        return HeardInRows(self._native)

    def looked_at(self, at: int) -> None:
        """Somebody looks at this line."""
        self._seen[self._shapes[at]] += 1

    def begin_at(self, at: int, plan_of: Callable[[int], tuple[RowPlan, Spans] | None]) -> bool:
        """May rows begin with this line? ``plan_of`` tells how lines of the shape of one are read, and where in it what
        is read stands."""
        shape = self._shapes[at]
        if shape == NO_SHAPE or self._seen[shape] < _TIMES:
            return False
        known = self._is_known.get(shape)
        if known is None:
            found = plan_of(at)
            known = self._is_known[shape] = found is not None
            if found is not None:
                plan, spans = found
                self._native.learn(shape, len(self.plans), int(plan.hearing), plan.each, plan.json, *spans)
                self.plans.append(plan)
        return known

    def read(self, at: int, passed: bytes) -> Stretch | None:
        """All lines from ``at`` on that are read as their shapes are; ``passed``: by code, which others may stand
        between them."""
        end, blank, nobodys, last, runs = self._native.read(at, passed)
        if end == at:
            return None
        rows = [_rows_of(*run) for run in runs]
        return Stretch(end, blank, nobodys, last, rows)


def _rows_of(stream: str, columns: Sequence[bytes], tally: Any, befores: Any) -> Rows:
    of: Any = array  # of numbers: one kind in each column
    places, starts, kinds, values, numbers = map(of, "IIHdQ", columns)
    return Rows(stream, places, starts, kinds, values, numbers, tally, befores)

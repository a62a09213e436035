"""Finds rows of numbers among the lines of one part that the sieve leaves to Python."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from slowlink.parsers.reading.rows.row_runs import Nobodys, RowPlan

HowRead = RowPlan | Nobodys | None
NO_SHAPE = 0
_TIMES = 4
"""So often lines of a shape are looked at one by one: to learn how all of them are read takes as long."""


class Stretch(NamedTuple):
    """Rows, and what may stand between them; or that alone."""

    end: int
    """The first line that is none of this."""
    blank: int
    nobodys: int
    last: int
    """The last line that is nobody's."""
    places: array[int]
    starts: array[int]
    kinds: array[int]
    values: array[float]
    numbers: array[int]
    streams: array[int]


class SiftedRows:
    """Learns shapes of rows as lines of them come, each when a few were looked at: most shapes have but one or two."""

    def __init__(self, native: Any, shapes: bytes) -> None:
        """``native``: of the same lines; ``shapes``: the number of each line's shape."""
        self._native = native
        self._shapes = memoryview(shapes).cast("H")
        self._seen: Counter[int] = Counter()
        self._is_row: dict[int, bool] = {}
        self.plans: list[RowPlan] = []

    def looked_at(self, at: int) -> None:
        """Somebody looks at this line."""
        self._seen[self._shapes[at]] += 1

    def begin_at(self, at: int, plan_of: Callable[[int], HowRead]) -> bool:
        """May rows begin with this line? ``plan_of`` tells how lines of the shape of one are read."""
        shape = self._shapes[at]
        if shape == NO_SHAPE or self._seen[shape] < _TIMES:
            return False
        known = self._is_row.get(shape)
        if known is None:
            plan = plan_of(at)
            known = self._is_row[shape] = plan is not None
            if isinstance(plan, Nobodys):
                self._native.pass_over(shape, plan.quiet)
            elif plan is not None:
                self._native.learn(shape, len(self.plans), *plan.spans)
                self.plans.append(plan)
        return known

    def read(self, at: int, passed: bytes, all_seen: bool, plan_of: Callable[[int], HowRead]) -> Stretch | None:
        """All rows from line ``at`` on; ``passed``: by code, which other lines may stand between them; ``all_seen``:
        no quiet ones."""
        found = self._read(at, passed, all_seen)
        while found.end < len(self._shapes):
            shape = self._shapes[found.end]
            if shape in self._is_row or not self.begin_at(found.end, plan_of):
                break
            later = self._read(found.end, passed, all_seen)
            if later.end == found.end:
                break
            found = _joined(found, later)
        return found if found.end > at else None

    def stream_names(self) -> list[str]:
        """By their numbers."""
        names: list[str] = self._native.streams()
        return names

    def _read(self, at: int, passed: bytes, all_seen: bool) -> Stretch:
        end, blank, nobodys, last, columns = self._native.read(at, passed, all_seen)
        return Stretch(end, blank, nobodys, last, *map(array, "IIHdQI", columns))


def _joined(one: Stretch, other: Stretch) -> Stretch:
    return Stretch(
        other.end,
        one.blank + other.blank,
        one.nobodys + other.nobodys,
        other.last if other.nobodys else one.last,
        one.places + other.places,
        one.starts + other.starts,
        one.kinds + other.kinds,
        one.values + other.values,
        one.numbers + other.numbers,
        one.streams + other.streams,
    )

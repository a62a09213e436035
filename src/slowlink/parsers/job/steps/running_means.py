"""Rates that a program prints: of the time since the line before, or of all the time since it began?

A mean since the beginning hides what happens late: after an hour at one pace, ten minutes at half of it lower it by a
tenth. Times and a counter beside the rates tell which it is, but for a constant factor (a counter of steps beside rates
of samples): rate and time between two lines go with what was counted between them, or rate and time since the beginning
with all that was counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from slowlink.averages import median

_FEWEST = 5
_ALIKE, _SHARE_ALIKE = 0.03, 0.9
"""Shares: of their middle, that values may lie away from it; and of the values, that must not."""


class Told(Struct, frozen=True):
    """One line."""

    at_s: float
    counted: int
    """Since the beginning."""
    rate: float


def paces_of_running_means(lines: Sequence[Told]) -> list[float] | None:
    """Seconds for one counted thing, between each line and the one before, where the rates are means since the
    beginning; None where they are not, or nothing tells."""
    if len(lines) < _FEWEST or not all(a.at_s < b.at_s and a.counted < b.counted for a, b in pairwise(lines)):
        return None
    between = [b.rate * (b.at_s - a.at_s) / (b.counted - a.counted) for a, b in pairwise(lines)]
    start_s = _start(lines[0], lines[-1])
    if _are_alike(between) or start_s is None:
        return None
    since = [line.rate * (line.at_s - start_s) / line.counted for line in lines]
    if not _are_alike(since):
        return None
    return [(b.at_s - a.at_s) / (b.counted - a.counted) for a, b in pairwise(lines)]


def _start(first: Told, last: Told) -> float | None:
    """When it began, if both rates are means since then: two lines tell that and the factor."""
    shares = last.rate * first.counted - first.rate * last.counted
    if not shares or not first.counted:
        return None
    start_s = (last.rate * last.at_s * first.counted - first.rate * first.at_s * last.counted) / shares
    return start_s if start_s < first.at_s else None


def _are_alike(values: Sequence[float]) -> bool:
    middle = median(values)
    return sum(abs(value - middle) <= _ALIKE * middle for value in values) >= _SHARE_ALIKE * len(values)

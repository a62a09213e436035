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
_FEW_PAIRS, _THE_SAME, _A_BATCH = 2, 0.1, 4
"""Pairs of lines that tell what a rate counts; how far from one it may be for one counted thing; and samples in the
smallest batch, which no evaluation is taken for."""


class Told(Struct, frozen=True):
    """One line."""

    at_s: float
    counted: int
    """Since the beginning."""
    rate: float


def are_running_means(lines: Sequence[Told]) -> bool:
    """Are the rates means since the beginning? Not where they are means between lines, or nothing tells."""
    if len(lines) < _FEWEST or not all(a.at_s < b.at_s and a.counted < b.counted for a, b in pairwise(lines)):
        return False
    start_s = _start(lines[0], lines[-1])
    if start_s is None or _are_alike(_worked_for_one(lines)):
        return False
    return _are_alike([line.rate * (line.at_s - start_s) / line.counted for line in lines])


def unit_of_rates(lines: Sequence[Told], counter: str) -> str:
    """What rates between lines count: the same as the counter, ``samples`` where that counts larger things, or
    ``units`` where nothing tells.

    An evaluation between two lines makes the time longer, never shorter: of all pairs of lines a low one is asked.
    """
    worked = sorted(_worked_for_one(lines))
    if len(worked) < _FEW_PAIRS:
        return "units"
    for_one = worked[len(worked) // 4]
    if abs(for_one - 1) <= _THE_SAME:
        return counter
    return "samples" if for_one >= _A_BATCH and counter != "samples" else "units"


def _worked_for_one(lines: Sequence[Told]) -> list[float]:
    """For each two lines, how much was done by the rate while the counter grew by one."""
    growing = ((a, b) for a, b in pairwise(lines) if a.at_s < b.at_s and a.counted < b.counted)
    return [b.rate * (b.at_s - a.at_s) / (b.counted - a.counted) for a, b in growing]


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

"""Rates that a program prints: of the time since the line before, or of all the time since it began?

A mean since the beginning hides what happens late: after an hour at one pace, ten minutes at half of it lower it by a
tenth. Times and a counter beside the rates tell which it is, but for a constant factor (a counter of steps beside rates
of samples): rate and time between two lines go with what was counted between them, or rate and time since the beginning
with all that was counted. A counter may go on from an earlier run, so that it need not begin at zero.
"""

from __future__ import annotations

import math
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
    if _are_alike(_worked_for_one(lines)):
        return False
    return any(
        _are_alike([line.rate * (line.at_s - start_s) / (line.counted - counted) for line in lines])
        for start_s, counted in (_begun_at_zero(lines[0], lines[-1]), _begun(lines))
        if start_s < lines[0].at_s and counted < lines[0].counted
    )


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


_Beginning = tuple[float, float]
"""When it began, and where its counter stood then, if the rates are means since; infinite where they are not."""
_NEVER = math.inf, math.inf


def _begun_at_zero(first: Told, last: Told) -> _Beginning:
    """Two lines tell the time and the factor."""
    shares = last.rate * first.counted - first.rate * last.counted
    if not shares:
        return _NEVER
    return (last.rate * last.at_s * first.counted - first.rate * first.at_s * last.counted) / shares, 0


def _begun(lines: Sequence[Told]) -> _Beginning:
    """Three lines tell the counter of the beginning, too: a run that goes on from an earlier one counts on.

    Not where that lies longer ago than the lines last: everything is even as seen from far away.
    """
    first, middle, last = lines[0], lines[len(lines) // 2], lines[-1]
    # With at and n since the first line: (rate - first rate) x start + factor x n = rate x at.
    (rates, counted, worked), (rates_2, counted_2, worked_2) = (
        (line.rate - first.rate, line.counted - first.counted, line.rate * (line.at_s - first.at_s))
        for line in (middle, last)
    )
    determinant = rates * counted_2 - rates_2 * counted
    if not determinant:
        return _NEVER
    start = (worked * counted_2 - worked_2 * counted) / determinant
    factor = (rates * worked_2 - rates_2 * worked) / determinant
    if factor <= 0 or start < first.at_s - last.at_s:
        return _NEVER
    return first.at_s + start, first.counted + first.rate * start / factor


def _are_alike(values: Sequence[float]) -> bool:
    middle = median(values)
    return sum(abs(value - middle) <= _ALIKE * middle for value in values) >= _SHARE_ALIKE * len(values)

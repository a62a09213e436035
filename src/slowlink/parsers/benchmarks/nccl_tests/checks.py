"""A row against itself: what nccl-tests prints twice must agree.

``algbw = size / time`` and ``busbw = algbw x factor(collective, nranks)`` (`slowlink.collectives`). Both are printed
rounded, so every comparison allows for the last printed digit and for one percent on top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct

from slowlink.collectives import SHARED
from slowlink.model.benchmark import CollectiveRun, Point
from slowlink.parsers.benchmarks.nccl_tests.cells import Cell, State
from slowlink.units import bandwidth_gbs

_LEAST_UNREAD, _A_PART = 3, 4
"""Checks that are no numbers: so many, and one in so many, before it is the column that is unread."""
TOLERANCE = 0.01
RATIO_TOLERANCE = 0.004


class Ratio(Struct, frozen=True):
    """busbw/algbw of a whole table; ``error`` is what rounding may have moved it, in the same unit (1)."""

    value: float
    error: float


class RankEstimate(Struct, frozen=True):
    """How many ranks a ratio means. ``low`` and ``high`` are the integers that its rounding allows; ``high`` is None
    when there is no upper end (the ratio is too near to its limit)."""

    nranks: int
    low: int
    high: int | None

    @property
    def exact(self) -> bool:
        return self.low == self.high


def nranks_from_ratio(collective: str | None, ratio: float, error: float = 0.0) -> RankEstimate | None:
    """The inverse of ``busbw_factor``: 1.75 of all_reduce is 8 ranks.

    ``error`` is the absolute uncertainty of ``ratio``. Without a collective the ratio decides its family: above 1
    all_reduce, below 1 one with factor (n-1)/n. None where the ratio says nothing about ranks (broadcast, sendrecv, or
    exactly 1 of an unknown collective) or lies outside what any number of ranks gives.
    """
    if collective is None:
        if abs(ratio - 1.0) <= max(5e-4, error):
            return None
        collective = "all_reduce" if ratio > 1.0 else "all_gather"
    limit = 2.0 if collective == "all_reduce" else 1.0
    if collective != "all_reduce" and collective not in SHARED:
        return None
    if not math.isfinite(ratio) or ratio < -error or ratio >= limit + error:
        return None
    nearest = _ranks(limit, min(ratio, limit))
    if nearest is None:
        return None
    below = _ranks(limit, max(0.0, ratio - error))
    above = _ranks(limit, ratio + error) if ratio + error < limit else None
    nranks = max(1, round(nearest))
    slack = 1e-9 * nearest
    low = nranks if below is None else max(1, min(nranks, math.ceil(below - slack)))
    high = None if above is None else max(nranks, math.floor(above + slack))
    return RankEstimate(nranks, low, high)


def _ranks(limit: float, ratio: float) -> float | None:
    return limit / (limit - ratio) if limit - ratio > 1e-12 else None


def table_ratio(points: Iterable[Point]) -> Ratio | None:
    """busbw/algbw over the points that carry no doubt, from those where rounding matters least.

    The median of the most precise quarter (three points at least). None when no bandwidth is high enough to tell.
    """
    ratios = []
    for point in points:
        if point.doubt is None and point.algbw_gbs is not None and point.busbw_gbs is not None:
            ratio = _ratio(point.algbw_gbs, point.busbw_gbs)
            if ratio is not None:
                ratios.append(ratio)
    return consensus(ratios)


def consensus(ratios: list[Ratio]) -> Ratio | None:
    """The median of the most precise quarter of ``ratios``, three at least."""
    if not ratios:
        return None
    ratios = sorted(ratios, key=lambda ratio: ratio.error)
    best = sorted(ratios[: max(3, len(ratios) // 4)], key=lambda ratio: ratio.value)
    middle = best[(len(best) - 1) // 2]
    return Ratio(middle.value, max(1e-6, middle.error))


def _ratio(algbw: float, busbw: float) -> Ratio | None:
    return cell_ratio(_as_cell(algbw), _as_cell(busbw))


def _as_cell(value: float) -> Cell:
    """Numbers of a parsed table no longer know their digits; below 1000 GB/s all layouts print two decimals."""
    return Cell("", State.NUMBER, value, 0.005 if value < 1000 else 0.0005 * value)


def unread_checks(run: CollectiveRun) -> str:
    """What to say of a column that should tell whether the results are right and holds no numbers; "" elsewhere. A
    single cell may be torn by another rank's line."""
    unread = [point for point in run.points if point.doubt is not None and "wrong reads" in point.doubt]
    if len(unread) < _LEAST_UNREAD or len(unread) * _A_PART < len(run.points):
        return ""
    line, said = unread[0].ref.line, str(unread[0].doubt)
    return f"does not tell whether {len(unread)} results are right: from line {line:,} on ({said})"


def cell_ratio(algbw: Cell, busbw: Cell) -> Ratio | None:
    """busbw/algbw of one side; None below a precision of ten percent."""
    if algbw.value is None or busbw.value is None or algbw.value <= 0 or busbw.value < 0:
        return None
    value = busbw.value / algbw.value
    error = (busbw.half_unit + algbw.half_unit * value) / algbw.value
    return Ratio(value, error) if error <= 0.1 else None


def fits(size_bytes: int, time: Cell, algbw: Cell, *, time_unit_us: float = 1.0, share: float = 1.0) -> bool | None:
    """Does ``algbw`` follow from size and time? None when the cells cannot tell.

    ``share`` is the part of the size that counts (hypercube: (n-1)/n).
    """
    if time.value is None or algbw.value is None:
        return None
    if time.value <= 0 or algbw.value < 0:
        return False if time.value < 0 or algbw.value < 0 else None
    time_us = time.value * time_unit_us
    expected = bandwidth_gbs(size_bytes * share, time_us)
    allowed = expected * (TOLERANCE + time.half_unit / time.value) + 1.01 * algbw.half_unit
    return abs(expected - algbw.value) <= allowed


def decides(size_bytes: int, time: Cell, algbw: Cell) -> bool:
    """Is the row precise enough to tell microseconds from milliseconds, or one column from another?"""
    if not (size_bytes and time.value and algbw.value):
        return False
    return time.half_unit <= 0.02 * time.value and algbw.half_unit <= 0.02 * algbw.value


def time_doubt(size_bytes: int, time_us: float, algbw: float) -> str:
    """The contradiction between size, time and algbw in words."""
    follows = bandwidth_gbs(size_bytes, time_us) if time_us > 0 else math.inf
    return f"algbw {algbw:g} GB/s does not follow from {size_bytes} B in {time_us:g} us = {follows:.2f} GB/s"


def ratio_doubt(algbw: Cell, busbw: Cell, expected: Ratio) -> str | None:
    """The contradiction between busbw/algbw and the rest of the table in words; None when there is none."""
    if algbw.value is None or busbw.value is None:
        return None
    if algbw.value < 0 or busbw.value < 0:
        return f"bandwidth below zero: algbw {algbw.value:g}, busbw {busbw.value:g} GB/s"
    follows = algbw.value * expected.value
    allowed = (
        busbw.half_unit * 1.01
        + algbw.half_unit * 1.01 * expected.value
        + follows * RATIO_TOLERANCE
        + algbw.value * expected.error
    )
    if abs(busbw.value - follows) <= allowed:
        return None
    return (
        f"busbw {busbw.value:g} GB/s does not follow from algbw {algbw.value:g} GB/s: "
        f"the other rows give busbw/algbw = {expected.value:.4g}, so {follows:.2f} GB/s"
    )

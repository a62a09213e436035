"""Does a sweep go far enough to be judged?"""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.averages import median
from slowlink.expect.latency import judge_plateau
from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep
from slowlink.model.report import Sweep

PLATEAU_SPAN = 4
"""Sizes from a quarter of the largest one up are the plateau: three sizes of a sweep that doubles."""

LARGE_BYTES = 1 << 30
"""From 1 GiB on most systems are within 10 % of their plateau (docs/physics.md)."""


def reaches_plateau(sweep: MeasuredSweep) -> bool:
    """True when the curve no longer rises, or when the largest size is large in itself."""
    best = best_by_size(sweep)
    if not best:
        return False
    return max(best) >= LARGE_BYTES or judge_plateau(list(best.items())).reached is True


def best_by_size(sweep: MeasuredSweep) -> dict[int, float]:
    """Size -> best busbw of that size, GB/s."""
    best: dict[int, float] = {}
    for point in sweep.points:
        best[point.size_bytes] = max(best.get(point.size_bytes, 0.0), point.busbw_gbs or 0.0)
    return best


def best_by_placement(sweep: MeasuredSweep) -> dict[int, dict[str, Point]]:
    """Size -> the best row of each of in-place and out-of-place; of repeated rows the best counts."""
    best: dict[int, dict[str, Point]] = {}
    for point in sorted(sweep.points, key=lambda point: point.busbw_gbs or 0.0):
        best.setdefault(point.size_bytes, {})[point.placement] = point
    return best


def worse_side_share(sides: Mapping[str, Point]) -> float:
    """The lower busbw of in-place and out-of-place over the higher; 1.0 where only one was measured. They move the same
    bytes over the same links, and healthy systems show the same of both within a few per cent."""
    values = [point.busbw_gbs or 0.0 for point in sides.values()]
    return min(values) / max(values) if len(values) > 1 and max(values) else 1.0


def plateau_busbw(sweep: Sweep) -> float | None:
    """Median over the plateau's sizes of the better placement, GB/s; not the printed average, not the one best row.

    Points with a doubt are left out. None without any usable point.
    """
    best: dict[int, float] = {}
    for point in sweep.points:
        if point.busbw_gbs is not None and point.doubt is None:
            best[point.size_bytes] = max(best.get(point.size_bytes, 0.0), point.busbw_gbs)
    if not best:
        return None
    largest = max(best)
    return median(busbw for size, busbw in best.items() if size * PLATEAU_SPAN >= largest)

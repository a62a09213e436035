"""Does a sweep go far enough to be judged?"""

from __future__ import annotations

from slowlink.expect.latency import judge_plateau
from slowlink.model.facts import MeasuredSweep

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

"""Intervals for quantities that have no formula: the bootstrap, over launches and the iterations in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_TIMES = 300


def bootstrap_interval(
    one: Sequence[Sequence[float]],
    other: Sequence[Sequence[float]],
    statistic: Callable[[np.ndarray, np.ndarray], float],
    *,
    confidence: float = 0.95,
    seed: int = 0,
    times: int = _TIMES,
) -> tuple[float, float, float]:
    """Estimate, low and high of ``statistic`` of two groups of launches, each a series of iterations.

    Launches are drawn with replacement, and blocks of iterations within each that was drawn: iterations of a launch are
    alike, and so are neighbours (Efron and Tibshirani 1993, percentile interval; Davison and Hinkley 1997, section 3.8,
    for two levels; Kuensch 1989 for blocks). ``statistic`` gets all iterations of each group as one array. Raises
    ValueError where a group is empty.
    """
    import numpy as np

    if not any(map(len, one)) or not any(map(len, other)):
        raise ValueError("nothing to draw from")
    chance = np.random.default_rng(seed)
    groups = [_table(group) for group in (one, other)]
    estimate = statistic(groups[0].ravel(), groups[1].ravel())
    drawn = [statistic(_drawn(groups[0], chance), _drawn(groups[1], chance)) for _ in range(times)]
    outside = (1 - confidence) / 2
    low, high = np.quantile(drawn, [outside, 1 - outside])
    return float(estimate), float(min(low, estimate)), float(max(high, estimate))


def _table(group: Sequence[Sequence[float]]) -> np.ndarray:
    """A row for each launch; all as long as the shortest."""
    import numpy as np

    rows = [series for series in group if len(series)]
    shortest = min(map(len, rows))
    return np.array([series[:shortest] for series in rows], dtype=float)


def _drawn(table: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    import numpy as np

    launches, count = table.shape
    block = max(1, round(count ** (1 / 3)))
    starts = chance.integers(0, count, (launches, -(-count // block)))
    places = (starts[:, :, None] + np.arange(block)).reshape(launches, -1)[:, :count] % count
    chosen = np.asarray(chance.integers(0, launches, launches))
    found: np.ndarray = table[chosen[:, None], places].ravel()
    return found

"""Intervals for quantities that have no formula: the bootstrap, over launches and the iterations in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_TIMES = 1000


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
    groups = [[np.asarray(series, dtype=float) for series in group if len(series)] for group in (one, other)]
    estimate = statistic(np.concatenate(groups[0]), np.concatenate(groups[1]))
    drawn = [statistic(*(_drawn(group, chance) for group in groups)) for _ in range(times)]
    outside = (1 - confidence) / 2
    low, high = np.quantile(drawn, [outside, 1 - outside])
    return float(estimate), float(min(low, estimate)), float(max(high, estimate))


def _drawn(group: Sequence[np.ndarray], chance: np.random.Generator) -> np.ndarray:
    import numpy as np

    pieces = []
    for place in chance.integers(0, len(group), len(group)):
        series = group[place]
        block = max(1, round(len(series) ** (1 / 3)))
        starts = chance.integers(0, len(series), -(-len(series) // block))
        places = (starts[:, None] + np.arange(block)).ravel() % len(series)
        pieces.append(series[places[: len(series)]])
    return np.concatenate(pieces)

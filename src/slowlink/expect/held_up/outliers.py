"""Which of many values are too far above the others for chance, where most are alike."""

from __future__ import annotations

from math import inf
from statistics import NormalDist
from typing import TYPE_CHECKING

from slowlink.averages import SIGMAS_PER_MAD

if TYPE_CHECKING:
    from slowlink.model.timed import Array

FEWEST = 3
"""Values, with fewer of which nothing shows what they differ by."""


def spread_of(values: Array) -> float:
    """Standard deviation of values of which fewer than half are outliers; that of a normal distribution with the same
    median absolute deviation. Infinite for fewer than three, which show nothing."""
    import numpy as np

    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return inf
    return float(SIGMAS_PER_MAD * np.median(np.abs(known - np.median(known))))


def limit_of(count: int, false_alarms: float) -> float:
    """How many standard deviations the largest of ``count`` values stays below, but for this share of all sets.

    From the normal distribution, Bonferroni's way; the spread of few values is uncertain itself: they are given more.
    """
    if count < FEWEST:
        return inf
    return -NormalDist().inv_cdf(false_alarms / count) * (1 + 4 / count)

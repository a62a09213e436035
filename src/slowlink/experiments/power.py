"""How many launches a difference takes: "16 launches of each for 1 % at this noise"."""

from __future__ import annotations

from math import ceil, log1p, sqrt
from statistics import NormalDist

from slowlink.experiments.betting import fewest_pairs

LOOKING_COSTS = 1.6
"""Pairs that a look after every pair takes, over those of a test that looks once (tests/experiments measures it)."""
_FEWEST = 2


def launches_for(difference: float, spread: float, error: float = 0.05, power: float = 0.8) -> int:
    """Launches of each kind that show ``difference`` (a share) with a probability of ``power``, two-sided, where
    launches of the same differ by ``spread`` (one standard deviation, as a share). One look at the end; the normal
    approximation (Cohen 1988, chapter 2). Raises ValueError for what cannot be."""
    if difference <= 0 or spread < 0 or not 0 < error < 1 or not 0 < power < 1:
        raise ValueError("difference, error and power must be positive, error and power below 1")
    normal = NormalDist()
    z = normal.inv_cdf(1 - error / 2) + normal.inv_cdf(power)
    return max(_FEWEST, ceil(2 * (z * spread / log1p(difference)) ** 2 - 0.5))


def pairs_wanted(estimate: float, margin: float, sd: float, error: float) -> int | None:
    """Pairs that would probably settle an open effect, looked at after each: ``estimate`` (log) is to be told from the
    end of the margin (log) that it is nearer to. ``sd``: of one pair's difference. None: no number would."""
    distance = abs(abs(estimate) - margin)
    if distance < sd / 100:
        return None
    normal = NormalDist()
    z = normal.inv_cdf(1 - error / 2) + normal.inv_cdf(0.8)
    return max(fewest_pairs(error), ceil(LOOKING_COSTS * (z * sd / distance) ** 2))


def sd_of_pair(spread: float) -> float:
    """Of the difference of two launches."""
    return spread * sqrt(2)

"""Two groups of launches that were not mixed: before and after a reboot, two bundles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, inf, sqrt
from statistics import NormalDist

from slowlink.averages import median
from slowlink.experiments.betting import robust_sd
from slowlink.model.experiment import Shift

_MOST_EXACT = 400
"""Products of the two numbers up to which the distribution is counted; above, it is normal enough."""


def unpaired_shift(off: Sequence[float], on: Sequence[float], error: float) -> Shift:
    """Hodges and Lehmann's shift of log times with the interval that Mann and Whitney's test leaves (1947): exact for
    few launches. Above 0: faster with it. Looked at once: launches of bundles are not added until it suits."""
    if not off or not on:
        return Shift(0.0, -inf, inf, 0, len(off) + len(on))
    steps = sorted(before - after for before, after in product(off, on))
    left_out = critical_count(len(off), len(on), error)
    low, high = (steps[left_out - 1], steps[-left_out]) if left_out else (-inf, inf)
    spread = robust_sd([*(value - median(off) for value in off), *(value - median(on) for value in on)])
    launches = len(off) + len(on)
    sd = None if spread is None else spread * sqrt(2)
    return Shift(median(steps), low, high, min(len(off), len(on)), launches, sd)


def critical_count(n: int, m: int, error: float) -> int:
    """The how-many-th smallest and largest of the ``n * m`` differences bound the interval; 0: too few launches."""
    if n * m > _MOST_EXACT:
        z = NormalDist().inv_cdf(1 - error / 2)
        return max(0, int(n * m / 2 - z * sqrt(n * m * (n + m + 1) / 12)))
    ways, all_ways, sum_of_ways = _ways(n, m), comb(n + m, n), 0
    for count, number in enumerate(ways):
        sum_of_ways += number
        if 2 * sum_of_ways > error * all_ways:
            return count
    return 0


def _ways(n: int, m: int) -> list[int]:
    """Number of orders of ``n`` and ``m`` values for each value of Mann and Whitney's U."""
    table = [1] + [0] * (n * m)
    for size in range(1, n + 1):
        # Multiplies by (1 - x^(m + size)) / (1 - x^size): the Gaussian binomial.
        for place in range(n * m, m + size - 1, -1):
            table[place] -= table[place - m - size]
        for place in range(size, n * m + 1):
            table[place] += table[place - size]
    return table

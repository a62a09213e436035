"""What stands out among its like, and where a series changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt

from slowlink.averages import MADS_PER_SIGMA, median, median_deviation, robust_deviation
from slowlink.expect.stats import MAD_FLOOR

Z = 3.5
"""Robust z from which on a value stands out (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993)."""


def robust_z(values: Sequence[float], floor: float = MAD_FLOOR) -> list[float]:
    """0.6745 (x - median) / MAD of each; ``floor`` is the least MAD, in the unit of the values. For logarithms of
    times the usual floor is 0.3 %: a healthy fleet is so even that noise would stand out."""
    if not values:
        return []
    middle = median(values)
    spread = max(median_deviation(values), floor)
    return [MADS_PER_SIGMA * (value - middle) / spread for value in values]


def outliers(values: Sequence[float], floor: float = MAD_FLOOR, z: float = Z) -> list[int]:
    """Places of the values that stand out, either way."""
    return [place for place, value in enumerate(robust_z(values, floor)) if abs(value) > z]


def noise_of_series(values: Sequence[float]) -> float:
    """One standard deviation of a series that may drift or jump: from the MAD of first differences."""
    steps = [after - before for before, after in pairwise(values)]
    if not steps:
        return 0.0
    return robust_deviation(steps) / sqrt(2)


def change_points(values: Sequence[float], floor: float = MAD_FLOOR, fewest: int = 4) -> list[int]:
    """Places at which the mean of a series changes: the first value of each new segment.

    The segmentation with the least squares and a penalty for each change, found by PELT (Killick, Fearnhead and Eckley,
    JASA 2012) without its pruning: series of launches are short. The penalty is ``3 log n`` times the noise's variance,
    which first differences tell; ``fewest`` values make a segment. Quadratic in the number of values.
    """
    count = len(values)
    if count < 2 * fewest:
        return []
    variance = max(noise_of_series(values), floor) ** 2
    penalty = 3 * log(count) * variance
    sums, squares = [0.0], [0.0]
    for value in values:
        sums.append(sums[-1] + value)
        squares.append(squares[-1] + value * value)

    def cost(start: int, end: int) -> float:
        total = sums[end] - sums[start]
        return squares[end] - squares[start] - total * total / (end - start)

    best = [-penalty] + [float("inf")] * count
    last = [0] * (count + 1)
    for end in range(fewest, count + 1):
        for start in range(end - fewest + 1):
            if best[start] + cost(start, end) + penalty < best[end]:
                best[end], last[end] = best[start] + cost(start, end) + penalty, start
    found = []
    place = last[count]
    while place:
        found.append(place)
        place = last[place]
    return found[::-1]

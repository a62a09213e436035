"""Averages of numbers, as in ``statistics``: to import that module takes longer than all averages of a small log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from math import fsum

SIGMAS_PER_MAD = 1.4826
MADS_PER_SIGMA = 0.6745
"""Standard deviation and median absolute deviation of a normal distribution."""


def median(values: Iterable[float]) -> float:
    """The middle one; of an even number the mean of the middle two. Not of nothing."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class MedianWithout:
    """The median of many values without a few of them, asked for one few after another."""

    def __init__(self, values: Iterable[float]) -> None:
        self._ordered = sorted(values)

    def __call__(self, few: Iterable[float]) -> float:
        """``few``: some of the values, as often as they are left out. Not of nothing."""
        left_out: list[int] = []
        for value in sorted(few):
            first = bisect_left(self._ordered, value)
            left_out.append(max(first, left_out[-1] + 1) if left_out else first)
        left = len(self._ordered) - len(left_out)
        if left % 2:
            return self._at(left // 2, left_out)
        return (self._at(left // 2 - 1, left_out) + self._at(left // 2, left_out)) / 2

    def _at(self, place: int, left_out: Iterable[int]) -> float:
        for each in left_out:
            place += each <= place
        return self._ordered[place]


def median_deviation(values: Iterable[float]) -> float:
    """The median absolute deviation from the median (MAD). Not of nothing."""
    known = [*values]
    middle = median(known)
    return median(abs(value - middle) for value in known)


def robust_deviation(values: Iterable[float]) -> float:
    """The standard deviation of a normal distribution with the MAD of these values: outliers do not count, as long as
    they are fewer than half. Not of nothing."""
    return SIGMAS_PER_MAD * median_deviation(values)


def fmean(values: Iterable[float]) -> float:
    """Their sum by their number. Not of nothing."""
    known = [*values]
    return fsum(known) / len(known)

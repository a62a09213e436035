"""Statistics of repeated measurements: robust, on times, with a stated minimum of samples.

Bandwidths join by their harmonic mean, as nccl-tests does (total bytes over total time): Hoefler and Belli, "Scientific
Benchmarking of Parallel Computing Systems", SC15, rules 3 and 4. The arithmetic mean of 33 and 390 GB/s says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, log, sqrt
from typing import Literal

from msgspec import Struct

from slowlink.averages import fmean, median

DIP_SAMPLES = 20
"""Fewest values for the dip test; below, its table is not valid. It is dependable from 50."""

SPLIT_SAMPLES = 6
"""Fewest values to speak of two groups at all: three in each."""

RANK_SAMPLES = 4
"""Fewest values a side that allow an interval: below, no rank test reaches 5 % (exact Mann-Whitney, 4 + 4)."""

MAD_FLOOR = 0.003
"""Least spread, as a share of the median: healthy fleets are so even (0.1 to 0.5 %) that noise would be flagged."""


def harmonic_mean(values: Sequence[float]) -> float:
    """The mean of rates over equal amounts of work. Raises ValueError when empty or not positive."""
    if not values or min(values) <= 0:
        raise ValueError("rates must be positive")
    return len(values) / sum(1 / value for value in values)


class Dispersion(Struct, frozen=True):
    """How far values of the same thing differ."""

    count: int
    median: float
    mad: float
    """Median absolute deviation from the median, not floored."""
    cv: float
    """Coefficient of variation: sample standard deviation over mean."""
    low: float
    high: float


def dispersion(values: Sequence[float]) -> Dispersion | None:
    """None below two values or where the median is not positive."""
    if len(values) < 2 or median(values) <= 0:
        return None
    middle, mean = median(values), fmean(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    mad = median(abs(value - middle) for value in values)
    return Dispersion(len(values), middle, mad, deviation / mean, min(values), max(values))


def interval_of_ratio(old: Sequence[float], new: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of new/old from all pairwise ratios; None with fewer than four values on a side.

    From the c-th smallest to the c-th largest of all pairwise ratios, c being Mann-Whitney's critical value in its
    normal approximation (1 for 4 + 4 values: exactly 97 %).
    """
    n, m = len(old), len(new)
    if min(n, m) < RANK_SAMPLES:
        return None
    ratios = sorted(after / before for before, after in product(old, new))
    k = max(1, int(n * m / 2 - 1.96 * sqrt(n * m * (n + m + 1) / 12))) - 1
    return ratios[k], ratios[-1 - k]


class Modality(Struct, frozen=True):
    """One group or two."""

    result: Literal["one-group", "two-groups", "perhaps-two-groups", "not-enough-samples"]
    """``perhaps``: a wide gap between two clusters of values, but too few of them for the dip test."""
    count: int
    dip_p: float | None
    """p value of the dip test; None below ``DIP_SAMPLES``."""
    fast_us: float | None = None
    """Median time of the fast group."""
    slow_us: float | None = None
    slow_share: float | None = None
    """Share of values in the slow group."""

    @property
    def tested(self) -> bool:
        """Enough samples for the dip test: without it two groups are likely, not certain."""
        return self.dip_p is not None


def modality(times_us: Sequence[float], alpha: float = 0.05, gap: float = 1.15) -> Modality:
    """Do times fall into a fast and a slow group?

    Hartigan and Hartigan's dip test (1985, Annals of Statistics 13) on log time, from ``DIP_SAMPLES`` values; the two
    groups are the split of the sorted log times with the least squares inside (Fisher 1958, one dimension). Below
    ``DIP_SAMPLES`` only the split speaks, and it must be clear: groups apart by more than four times their own spread.
    ``gap``: slow over fast time below which two groups do not matter.
    """
    logs = sorted(log(time) for time in times_us if time > 0)
    if len(logs) < SPLIT_SAMPLES:
        return Modality("not-enough-samples", len(logs), None)
    cut = _split(logs)
    fast, slow = logs[:cut], logs[cut:]
    ratio = exp(median(slow) - median(fast))
    dip_p = _dip(logs) if len(logs) >= DIP_SAMPLES else None
    apart = ratio >= gap and min(len(fast), len(slow)) >= 2
    clear = _is_clear(fast, slow)
    two = apart and (clear if dip_p is None else dip_p < alpha or clear)
    perhaps = not two and dip_p is None and _has_wide_gap(fast, slow)
    if not two and not perhaps:
        return Modality("one-group", len(logs), dip_p)
    return Modality(
        "two-groups" if two else "perhaps-two-groups",
        len(logs),
        dip_p,
        exp(median(fast)),
        exp(median(slow)),
        len(slow) / len(logs),
    )


def _split(values: Sequence[float]) -> int:
    """Index of the cut of sorted values with the least sum of squares inside both parts; linear with prefix sums."""
    total, squares = sum(values), sum(value * value for value in values)
    best, cut, left, left_squares = float("inf"), 1, 0.0, 0.0
    for index in range(1, len(values)):
        left += values[index - 1]
        left_squares += values[index - 1] ** 2
        rest = len(values) - index
        inside = left_squares - left**2 / index + squares - left_squares - (total - left) ** 2 / rest
        if inside < best:
            best, cut = inside, index
    return cut


def _is_clear(fast: Sequence[float], slow: Sequence[float]) -> bool:
    spread = max(_mad(fast), _mad(slow), MAD_FLOOR)
    return slow[0] - fast[-1] > 4 * spread


def _has_wide_gap(fast: Sequence[float], slow: Sequence[float]) -> bool:
    """At least three values on each side of a factor of 1.5 that is also wide beside the spread inside the groups."""
    gap = slow[0] - fast[-1]
    return min(len(fast), len(slow)) >= 3 and gap >= log(1.5) and gap >= 1.5 * max(_mad(fast), _mad(slow))


def _mad(values: Sequence[float]) -> float:
    middle = median(values)
    return median(abs(value - middle) for value in values)


def _dip(logs: Sequence[float]) -> float:
    import diptest
    import numpy as np

    if logs[0] == logs[-1]:
        return 1.0
    _, p = diptest.diptest(np.asarray(logs))
    return float(p)

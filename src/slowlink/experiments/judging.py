"""From paired differences to an effect, and from effects to what holds: margin, Holm's correction, estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log1p

from slowlink.averages import median
from slowlink.experiments.betting import interval, p_above, robust_sd
from slowlink.model.experiment import Shift, Standing

MARGIN = 0.01
"""What nobody would notice, as a share (docs/physics.md)."""


def hodges_lehmann(differences: Sequence[float]) -> float:
    """The median of the means of all pairs of differences (Hodges and Lehmann 1963). Not of nothing."""
    count = len(differences)
    return median((differences[i] + differences[j]) / 2 for i in range(count) for j in range(i, count))


def shift_of(differences: Sequence[float], error: float, known: float | None = None) -> Shift:
    """``differences``: log time without less with the change, a pair each. ``known``: their standard deviation, as far
    as it is known from elsewhere."""
    if not differences:
        return Shift(0.0, -inf, inf, 0, 0)
    low, high = interval(differences, error, known)
    estimate = min(max(hodges_lehmann(differences), low), high)
    return Shift(estimate, low, high, len(differences), 2 * len(differences), robust_sd(differences))


def standing(shift: Shift, margin: float) -> Standing:
    """``margin``: as a share."""
    limit = log1p(margin)
    if shift.low > limit:
        return "helps"
    if shift.high < -limit:
        return "harms"
    return "does-not-matter" if shift.low >= -limit and shift.high <= limit else "open"


def holm_errors(
    differences: Mapping[str, Sequence[float]], margin: float, error: float, family: int, known: float | None = None
) -> dict[str, float]:
    """The error rate of each interval, so that all of them together err with ``error`` (Holm 1979).

    The most evident effect beyond the margin is judged with ``error / family``; once it holds, the next with
    ``error / (family - 1)``, and so on. ``family``: how many may be tested in all, also those that are not yet.
    """
    limit = log1p(margin)
    p_values = {
        name: 2 * min(p_above(values, limit, known), p_above([-value for value in values], limit, known))
        for name, values in differences.items()
    }
    found: dict[str, float] = {}
    left = max(family, len(p_values))
    for name in sorted(p_values, key=lambda each: p_values[each]):
        found[name] = error / left
        if p_values[name] <= error / left:
            left = max(left - 1, 1)
        # The first that does not hold keeps its level for all after it.
    return found

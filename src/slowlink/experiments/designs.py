"""Many changes in few launches: each launch has half of them on, and every launch tells of every change.

Plackett and Burman, "The Design of Optimum Multifactorial Experiments", Biometrika 1946. Each design is run with its
mirror image (fold-over; Box and Wilson 1951): what two changes do together then blurs no change's own effect. 24
launches tell of 11 changes as exactly as 12 pairs of launches would tell of each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

from msgspec import Struct

_FIRST_ROWS = {
    4: "++-",
    8: "+++-+--",
    12: "++-+++---+-",
    16: "++++-+-++--+---",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
}
"""Runs of a design -> its first row; the others are shifts of it, and the last one has every change off."""
MOST_CHANGES = max(_FIRST_ROWS) - 1


class Contrast(Struct, frozen=True):
    """What a design says of one change, in logarithms of times."""

    estimate: float
    """Above 0: faster with the change."""
    low: float
    high: float
    error: float
    """Standard error."""


def design(count: int) -> list[tuple[bool, ...]]:
    """Rows of a design for so many changes, with its mirror image: which of them are on. Raises ValueError above
    ``MOST_CHANGES``."""
    runs = next((runs for runs in _FIRST_ROWS if runs > count), None)
    if runs is None:
        raise ValueError(f"at most {MOST_CHANGES} changes in one design")
    first = [sign == "+" for sign in _FIRST_ROWS[runs]]
    rows = [tuple(first[(place - shift) % len(first)] for place in range(count)) for shift in range(len(first))]
    rows.append((False,) * count)
    return [*rows, *(tuple(not on for on in row) for row in rows)]


def contrasts(
    rows: Sequence[frozenset[str]], log_times: Sequence[float], changes: Sequence[str], error: float
) -> Mapping[str, Contrast] | None:
    """The effect of each change by least squares, with intervals that hold with ``1 - error`` for all at once
    (Bonferroni). ``rows``: what was on in each launch. None where too few launches are left to tell."""
    import numpy as np

    freedom = len(rows) - 1 - len(changes)
    if freedom < 2:
        return None
    matrix = np.array([[1.0, *(0.5 if change in row else -0.5 for change in changes)] for row in rows])
    if np.linalg.matrix_rank(matrix) <= len(changes):
        return None
    values = np.asarray(log_times)
    found, *_ = np.linalg.lstsq(matrix, values, rcond=None)
    rest = values - matrix @ found
    variance = float(rest @ rest) / freedom
    inverse = np.linalg.inv(matrix.T @ matrix)
    t = t_quantile(1 - error / len(changes) / 2, freedom)
    answer = {}
    for place, change in enumerate(changes, 1):
        own = sqrt(variance * float(inverse[place, place]))
        gain = -float(found[place])
        answer[change] = Contrast(gain, gain - t * own, gain + t * own, own)
    return answer


def t_quantile(probability: float, freedom: int) -> float:
    """Of Student's t. Hill, "Algorithm 396: Student's t-quantiles", CACM 1970: right to about six digits from three
    degrees of freedom up; one and two have closed forms. ``probability`` from 0.5 to below 1."""
    from math import exp, pi, tan

    if freedom == 1:
        return tan(pi * (probability - 0.5))
    if freedom == 2:
        outside = 2 * (1 - probability)
        return sqrt(2 / (outside * (2 - outside)) - 2)
    n, outside = float(freedom), 2 * (1 - probability)
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = (d * outside) ** (2 / n)
    if y > a + 0.05:
        x = NormalDist().inv_cdf(outside / 2)
        y = x**2
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = a * y**2
        y = exp(y) - 1 if y > 0.002 else 0.5 * y**2 + y
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (
            n + 2
        ) + 1 / y
    return sqrt(n * y)

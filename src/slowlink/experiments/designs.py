"""Many changes in few launches: each launch has half of them on, and every launch tells of every change.

Plackett and Burman, "The Design of Optimum Multifactorial Experiments", Biometrika 1946. Each design is run with its
mirror image (fold-over; Box and Wilson 1951): what two changes do together then blurs no change's own effect. 24
launches tell of 11 changes as exactly as 12 pairs of launches would tell of each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from msgspec import Struct

from slowlink.expect.student import t_quantile

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

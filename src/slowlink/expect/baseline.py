"""Better, worse or the same as before, with an interval: two groups of launches or runs, on logarithms.

The interval is Student's, with the spread of both groups together: one new value has an interval, too, since the old
ones say how far a value of the same level may lie (a prediction interval, where there is one). A level below nothing
is lost is *same* only where a loss that matters is excluded; what the values cannot tell is *open*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt

from msgspec import Struct

from slowlink.expect.student import t_quantile
from slowlink.model.baseline import Outcome

FEWEST_FREEDOM = 3
"""Values beyond one a group: below, Student's interval is so wide that it says nothing."""
_LEAST_SPREAD = 0.001
"""Healthy launches of one node differ by this much; without it two equal numbers would be a proof."""


class Tolerated(Struct, frozen=True):
    """What is no change, and which loss must be excluded."""

    margin: float = 0.01
    """The whole interval must lie this far from no change."""
    loss: float = 0.05
    """``same`` excludes a loss of more than this."""


class Shift(Struct, frozen=True):
    """``gain`` above 1 is better."""

    gain: float
    low: float | None
    high: float | None
    outcome: Outcome


def shift_of(
    old: Sequence[float],
    new: Sequence[float],
    tolerated: Tolerated,
    *,
    is_time: bool = False,
    questions: int = 1,
    error: float = 0.05,
) -> Shift:
    """From positive values of both sides, none empty; ``questions``: how many are asked, of which none may be wrong
    with more than ``error`` (Bonferroni)."""
    sign = -1 if is_time else 1
    before, after = [sign * log(value) for value in old], [sign * log(value) for value in new]
    step = _mean(after) - _mean(before)
    freedom = len(before) + len(after) - 2
    if freedom < FEWEST_FREEDOM:
        return Shift(exp(step), None, None, "open")
    spread = max(sqrt((_squares(before) + _squares(after)) / freedom), _LEAST_SPREAD)
    half = t_quantile(1 - error / questions / 2, freedom) * spread * sqrt(1 / len(before) + 1 / len(after))
    low, high = exp(step - half), exp(step + half)
    return Shift(exp(step), low, high, _outcome(low, high, tolerated))


def _outcome(low: float, high: float, tolerated: Tolerated) -> Outcome:
    if high < 1 - tolerated.margin:
        return "worse"
    if low > 1 + tolerated.margin:
        return "better"
    return "same" if low > 1 - tolerated.loss else "open"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _squares(values: Sequence[float]) -> float:
    middle = _mean(values)
    return sum((value - middle) ** 2 for value in values)

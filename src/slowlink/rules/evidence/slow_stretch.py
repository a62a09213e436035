"""A stretch of a job whose steps took longer than those around it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.averages import median

_MOSTLY = 0.8
"""The share of a stretch's steps that must be slow."""


class SlowStretch(Struct, frozen=True):
    """Steps ``start`` to ``stop`` (not with it), of those that were given."""

    start: int
    stop: int
    middle: float
    """Of its steps."""


def slow_stretch(steps: Sequence[float], usual: float, least: float, fewest: int) -> SlowStretch | None:
    """The longest stretch of at least ``fewest`` steps, most of which take more than ``least`` times ``usual``.

    Each slow step counts for its stretch and each other one against it, four times: what comes out highest is the
    longest stretch of which no end is mostly usual (Kadane's algorithm). Single long steps, as check-points are, never
    come near it.
    """
    slow = [step > least * usual for step in steps]
    best = (0, 0, 0)
    start = total = 0
    for number, is_slow in enumerate(slow, 1):
        total += 1 if is_slow else -4
        if total <= 0:
            start, total = number, 0
        elif total > best[0]:
            best = total, start, number
    _, first, behind = best
    if behind - first < fewest or sum(slow[first:behind]) < _MOSTLY * (behind - first):
        return None
    return SlowStretch(first, behind, median(steps[first:behind]))

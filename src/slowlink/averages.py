"""Averages of numbers, as in ``statistics``: to import that module takes longer than all averages of a small log."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum


def median(values: Iterable[float]) -> float:
    """The middle one; of an even number the mean of the middle two. Not of nothing."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def fmean(values: Iterable[float]) -> float:
    """Their sum by their number. Not of nothing."""
    known = [*values]
    return fsum(known) / len(known)

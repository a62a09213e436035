"""Values whose exact result is known: what each rank gives, and what it must get.

Values repeat with a prime period and are shifted by rank, so a block that went to the wrong place shows. They are small
whole numbers: every float type holds the result exactly, and whole numbers wrap as the library's do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PERIOD = 61
_SHIFT = 7
_REPEATS = 128
_MOST_FACTORS = 6
"""Ranks that give a 2 to a product: 2^6 fits every type."""
_NARROW = frozenset({"half", "bfloat16"})


def given(rank: int, start: int, redop: str, datatype: str) -> Array:
    """One period of what ``rank`` gives, beginning at element ``start`` of its data."""
    position = (np.arange(PERIOD) + start + rank * _SHIFT) % PERIOD
    if redop == "prod":
        return np.where((position % 5 == 0) & (rank < _MOST_FACTORS), 2, 1)
    return position % (2 if datatype in _NARROW else PERIOD) + 1


def reduced(nranks: int, start: int, redop: str, datatype: str) -> Array:
    """One period of the reduction over all ranks, from element ``start``."""
    combine: Callable[[Array, Array], Array] = {
        "sum": np.add,
        "prod": np.multiply,
        "min": np.minimum,
        "max": np.maximum,
    }[redop]
    result = given(0, start, redop, datatype)
    for rank in range(1, nranks):
        result = combine(result, given(rank, start, redop, datatype))
    return result


def repeated(period: Array, kind: np.dtype[Any]) -> Array:
    """Many periods in the buffer's own type, so that filling and comparing go in long strides."""
    return np.tile(period.astype(kind, casting="unsafe"), _REPEATS)


def differing(found: Array, expected: Array) -> int:
    """How many elements of ``found`` are not the repetition of ``expected``."""
    whole = len(found) // len(expected) * len(expected)
    wrong = np.count_nonzero(found[:whole].reshape(-1, len(expected)) != expected)
    return int(wrong + np.count_nonzero(found[whole:] != expected[: len(found) - whole]))

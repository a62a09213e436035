"""Who comes first in a pair, and in which order launches run: drawn by lot, so that whatever drifts meets all alike.

A pair is two launches one after the other, one with the change and one without. Its order is a lot of its own: ABBA,
BAAB and ABAB arise. Blocks that are always ABBA cancel a steady drift; a wave as long as a block they take for an
effect. Lots make no assumption: without an effect each pair's difference is as likely to be positive as negative,
whatever happened meanwhile (Fisher, "The Design of Experiments", 1935; Hunold and Carpen-Amarie, "Reproducible MPI
Benchmarking Is Still Not as Easy as You Think", TPDS 2016: the launch is the unit).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def comes_first(seed: int, about: str, pair: int) -> bool:
    """Does the launch with the change come first in this pair?"""
    return random.Random(f"{seed}/{about}/{pair}").random() < 0.5  # noqa: S311  (a lot is no secret)


def shuffled(seed: int, about: str, items: Sequence[T]) -> list[T]:
    """In an order drawn by lot."""
    found = list(items)
    random.Random(f"{seed}/{about}").shuffle(found)  # noqa: S311
    return found

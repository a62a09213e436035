"""Where did the level of a series change? A rank test at every place, its chance by permutation.

The place is where Mann and Whitney's statistic, divided by its spread, is largest (Pettitt 1979; Hawkins and Deng 2010
for the division); how often chance alone gives as much is counted on permutations of the same ranks, so that neither
outliers nor ties nor the form of the noise matter, and the search over all places is paid for. Then both sides are
searched in the same way (binary segmentation, Scott and Knott 1974), and every place is tested again between its
neighbours, as E-divisive is used for benchmarks (Matteson and James 2014; Daly and others 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from slowlink.averages import median
from slowlink.expect.stats import interval_of_ratio
from slowlink.model.history import Change

if TYPE_CHECKING:
    import numpy as np

FALSE_ALARMS = 0.01
"""At most this share of series of one level, whose values are independent, is said to change (bench/history.py)."""
_LEVEL = 0.005
FEWEST_VALUES = 8
"""Below, no order of the values is rare enough."""
_FEWEST_BESIDE = 3
_PERMUTATIONS, _ROUND, _ENOUGH = 1999, 400, 20
"""Counted in rounds; ``_ENOUGH`` as clear ones end it (Besag and Clifford 1991)."""
_MOST_BESIDE = 100
"""Values on a side that the interval is made from: their pairs are sorted."""


def change_points(values: Sequence[float], *, seed: int = 0) -> tuple[Change, ...]:
    """The changes of level, in order. Pure: the same values give the same answer. Values must be positive."""
    import numpy as np

    if len(values) < FEWEST_VALUES:
        return ()
    chance = np.random.default_rng(seed)
    plain = [float(value) for value in values]
    series = np.asarray(plain)
    places = _kept(series, _searched(series, 0, chance), chance)
    ends = [0, *(place for place, _ in places), len(values)]
    sides = list(pairwise(ends))
    return tuple(
        _change(plain[slice(*before)], plain[slice(*after)], after[0], p)
        for before, after, (_, p) in zip(sides, sides[1:], places, strict=False)
    )


def _searched(series: np.ndarray, start: int, chance: np.random.Generator) -> list[int]:
    """Places of changes in ``series``, which begins at ``start`` of the whole."""
    place, p = _clearest(series, chance)
    if p > _LEVEL:
        return []
    before = _searched(series[:place], start, chance)
    return [*before, start + place, *_searched(series[place:], start + place, chance)]


def _kept(series: np.ndarray, places: list[int], chance: np.random.Generator) -> list[tuple[int, float]]:
    """Those that are clear between their neighbours, too, where they are clearest there; each with its chance."""
    found: list[tuple[int, float]] = []
    for end in [*places[1:], len(series)] if places else []:
        start = found[-1][0] if found else 0
        nearer, p = _clearest(series[start:end], chance)
        if p <= _LEVEL:
            found.append((start + nearer, p))
    return found


def _clearest(series: np.ndarray, chance: np.random.Generator) -> tuple[int, float]:
    """The place of the clearest change, and how often chance gives one as clear."""
    import numpy as np

    count = len(series)
    if count < FEWEST_VALUES:
        return 0, 1.0
    ranks = _ranks(series)
    sizes = np.arange(_FEWEST_BESIDE, count - _FEWEST_BESIDE + 1)
    spread = np.sqrt(sizes * (count - sizes))

    def clarity(orders: np.ndarray) -> np.ndarray:
        # Ranks are centred: under one level each sum is about 0.
        sums = np.cumsum(orders, axis=-1)[..., sizes - 1]
        clear: np.ndarray = np.abs(sums) / spread
        return clear

    seen = clarity(ranks)
    place = int(np.argmax(seen))
    best, as_clear, done = seen[place] - 1e-9, 0, 0
    while done < _PERMUTATIONS and as_clear < _ENOUGH:
        orders = chance.permuted(np.tile(ranks, (min(_ROUND, _PERMUTATIONS - done), 1)), axis=1)
        as_clear += int(np.count_nonzero(clarity(orders).max(axis=1) >= best))
        done += len(orders)
    return int(sizes[place]), (as_clear + 1) / (done + 1)


def _ranks(series: np.ndarray) -> np.ndarray:
    """Ranks around 0; equal values share theirs."""
    import numpy as np

    _, inverse, counts = np.unique(series, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    ranks: np.ndarray = middles[inverse] - (len(series) + 1) / 2
    return ranks


def _change(before: Sequence[float], after: Sequence[float], index: int, p: float) -> Change:
    """The two levels beside one place."""
    old, new = median(before), median(after)
    interval = interval_of_ratio(before[-_MOST_BESIDE:], after[:_MOST_BESIDE])
    low, high = interval if interval is not None else (None, None)
    return Change(index, old, new, new / old, low, high, p)

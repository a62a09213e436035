"""Rounds that were disturbed: their groups differ by much more than those of other rounds.

Chance is read off all rounds, and most of them may have been quiet while something else ran during one or two. What is
slow is tried again in the next round, so a disturbance of some seconds meets the same pairs several times, and tests of
the same moment are not independent. Nothing is known of such a moment but the order of its groups: a sound one is among
the slowest k of n with probability k / n, whatever the noise, for the order in which they run is drawn by lot. Only
what lies far below all that its moment explains counts as elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import log

from slowlink.averages import median, robust_deviation
from slowlink.isolate.judge import LEAST_SPREAD, Judged
from slowlink.model.isolation import Outcome

_FEWEST, _FEW = 3, 5
"""Other groups in a round that show how much they differ; fewer than the second number hardly do."""
_ENOUGH = 20
"""From so many on, one of them hardly changes how much they differ."""
_MORE, _MORE_OF_FEW = 1.5, 2.5
"""So many times as much as in all rounds."""
_CLEAR = 5.0
"""Deviations of its round below the middle, from which on a test is slow whatever the moment was like."""
_LEAST_SHARE = 1e-3

Group = tuple[str, ...]
_Moment = tuple[str, int, bool]
"""Kind of test, round, whether leaves were joined."""


class Moments:
    """The rounds of a search."""

    def __init__(self, outcomes: Sequence[Outcome], judged: Judged, crosses: Sequence[bool]) -> None:
        """``crosses``: of each outcome, does it join leaves? Such have noise of their own."""
        self._shares = judged.shares
        self._rounds: dict[_Moment, list[int]] = defaultdict(list)
        self._of = [(outcome.kind, outcome.round, crosses[index]) for index, outcome in enumerate(outcomes)]
        self._pairs = [outcome.pair for outcome in outcomes]
        for index, outcome in enumerate(outcomes):
            if outcome.gbs is not None:
                self._rounds[self._of[index]].append(index)
        deviations: dict[tuple[str, bool], list[float]] = defaultdict(list)
        for (kind, _, crossing), mine in self._rounds.items():
            deviations[kind, crossing].append(self._deviation(mine))
        self._usual = {kind: max(LEAST_SPREAD, median(found)) for kind, found in deviations.items()}
        self._whole: dict[_Moment, float] = {}

    def place(self, index: int, pair: Group) -> float:
        """How often a sound group is as slow as this test among those of its round, where it was disturbed; else 0."""
        moment = self._of[index]
        mine = self._rounds[moment]
        if len(mine) >= _ENOUGH:
            others = mine
            deviation = self._whole.get(moment)
            if deviation is None:
                deviation = self._whole[moment] = self._deviation(mine)
        else:
            others = [each for each in mine if self._pairs[each] != pair]
            deviation = self._deviation(others)
        kind, _, crossing = moment
        more = _MORE if len(others) >= _FEW else _MORE_OF_FEW
        if len(others) < _FEWEST or deviation <= more * self._usual[kind, crossing]:
            return 0.0
        if self._log(index) < median(map(self._log, others)) - _CLEAR * deviation:
            return 0.0
        slower = sum(self._shares[each] <= self._shares[index] for each in others if each != index)
        return (slower + 1) / (len(others) + 1)

    def _log(self, index: int) -> float:
        return log(max(self._shares[index], _LEAST_SHARE))

    def _deviation(self, tests: Sequence[int]) -> float:
        return robust_deviation(map(self._log, tests)) if tests else 0.0

"""What all tests together say before anybody is blamed: which were slow, and who was fast with somebody."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from math import comb, prod

from msgspec import Struct
from msgspec.structs import replace

from slowlink.isolate.judge import Judged
from slowlink.isolate.moments import Moments
from slowlink.model.isolation import Fabric, Outcome

SLOW_TWICE = 2
"""So often a node or a path must be slow; more often where many tests err."""
_SURE, _VERY_SURE = 2, 100
"""So much surer it must be that a pair is at fault before its tests are no measure of chance: where many are slow, to
leave out the slowest would make chance look rarer than it is."""
_ERRS, _FEW = 0.01, 20
_NOISY = 0.015
"""Of sound groups: where more are slow, the slowest of them is no measure of what is rarer still."""
_ALIKE = 1.05
"""What is taken for the share of sound groups that chance makes slow, until so many groups were seen."""


class Chances(Struct, frozen=True):
    """What chance makes of sound groups, in one kind of test."""

    shares: tuple[float, ...]
    """Of those that finished, in order."""
    slow: float
    """Share of these that were slow."""
    died: int
    """Tests that did not finish."""

    def slower(self, limit: float, without: Sequence[float]) -> float:
        """How often chance makes a sound group give ``limit`` or less. ``without``: tests of the group in question."""
        lower = bisect_right(self.shares, limit) - sum(0 < share <= limit for share in without)
        taken = _FEW * _ERRS if self.slow <= _NOISY else 1.0
        return min(1.0, (max(lower, 0) + taken) / (self._counted(without) + _FEW))

    def dies(self, without: Sequence[float]) -> float:
        """How often chance keeps a sound group from its end."""
        died = self.died - sum(share <= 0 for share in without)
        return min(1.0, (max(died, 0) + _FEW * _ERRS) / (self._counted(without) + _FEW))

    def _counted(self, without: Sequence[float]) -> int:
        return max(0, len(self.shares) + self.died - len(without))


class Evidence(Struct, frozen=True):
    """Tests by index, in the order of the outcomes."""

    outcomes: Sequence[Outcome]
    judged: Judged
    fabric: Fabric
    slow: tuple[bool, ...]
    pairs: tuple[tuple[str, ...], ...]
    """Of each test, its nodes in order."""
    crosses: tuple[bool, ...]
    """Of each test: did it join leaves?"""
    kinds: dict[str, dict[str, list[int]]]
    """Kind -> node -> its tests of this kind. Only like is compared with like: a node may be slow in one alone."""
    cleared: dict[str, frozenset[str]]
    """Kind -> nodes that were fast in it; where nobody was, those of all kinds."""

    sound: Mapping[str, Chances]
    """Kind -> what chance makes of sound groups."""
    moments: Moments
    """What each round was like."""

    def chance(self, tests: Sequence[int]) -> float:
        """An upper bound of the probability that so many of these tests were as slow by chance: each that was slow has
        the rate at which sound groups of its kind are slower, and which of the tests were makes no difference. In a
        round that was disturbed its place among the others counts, for there more are slow than elsewhere."""
        were_slow = [index for index in tests if self.slow[index]]
        return comb(len(tests), len(were_slow)) * prod(self._rate(index, tests) for index in were_slow)

    def _rate(self, index: int, own: Sequence[int]) -> float:
        kind, limit = self.outcomes[index].kind, self.judged.shares[index] * _ALIKE
        mine = [self.judged.shares[each] for each in own if self.outcomes[each].kind == kind]
        chances = self.sound[kind]
        if self.outcomes[index].gbs is None:
            return chances.dies(mine)
        return max(chances.slower(limit, mine), self.moments.place(index, self.pairs[index]))

    def is_noisy(self, tests: Sequence[int], noisy: Container[str]) -> bool:
        """Was one of them slow, though it came to its end, in a kind that is ``noisy``?"""
        return any(
            self.slow[index] and self.outcomes[index].gbs is not None and self.outcomes[index].kind in noisy
            for index in tests
        )

    def middle(self, tests: Sequence[int]) -> float:
        """The median of their shares."""
        shares = sorted(self.judged.shares[index] for index in tests)
        return shares[len(shares) // 2]

    def is_sound(self, index: int) -> bool:
        """Were all nodes of this test fast in this kind of test?"""
        return self.cleared[self.outcomes[index].kind].issuperset(self.outcomes[index].group)


def weigh(outcomes: Sequence[Outcome], judged: Judged, fabric: Fabric, error: float) -> Evidence:
    """Total: without outcomes nobody is cleared. ``error``: the probability with which chance may blame one pair."""
    slow = tuple(judged.is_slow(index) for index in range(len(outcomes)))
    kinds: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, outcome in enumerate(outcomes):
        for node in outcome.group:
            kinds[outcome.kind][node].append(index)
    cleared = {kind: _cleared(mine, slow, outcomes, judged) for kind, mine in kinds.items()}
    every = frozenset[str]().union(*cleared.values())
    known = {kind: found or every for kind, found in cleared.items()}
    groups = tuple(outcome.pair for outcome in outcomes)
    crosses = tuple(fabric.crosses(group) for group in groups)
    moments = Moments(outcomes, judged, crosses)
    first = Evidence(outcomes, judged, fabric, slow, groups, crosses, kinds, known, {}, moments)
    pairs = _sound_pairs(first)
    # A pair at fault says nothing of chance. Which are at fault depends on chance in turn: first those are left out
    # that were slow more than once, then those that chance does not explain.
    again = {pair for pair, tests in pairs.items() if sum(slow[index] for index in tests) >= SLOW_TWICE}
    guess = replace(first, sound=_chances(first, pairs, again))
    noisy = {kind for kind, chances in guess.sound.items() if chances.slow > _NOISY}
    at_fault = {
        pair
        for pair in again
        if guess.chance(pairs[pair]) < error / (_VERY_SURE if guess.is_noisy(pairs[pair], noisy) else _SURE)
    }
    return replace(first, sound=_chances(first, pairs, at_fault))


def _cleared(
    mine: dict[str, list[int]], slow: Sequence[bool], outcomes: Sequence[Outcome], judged: Judged
) -> frozenset[str]:
    """Once clearly fast; or just so, with as many partners as it is slow with: one lucky test among many slow ones
    clears nobody, and one slow path that is tried again and again blames nobody."""
    found = set()
    for node, tests in mine.items():
        partners: dict[tuple[str, ...], int] = defaultdict(int)
        for index in tests:
            partners[outcomes[index].pair] += -1 if slow[index] else 1
        fast = sum(count > 0 for count in partners.values())
        clearly = any(judged.shares[index] >= 1 - judged.margins[index] / 2 for index in tests)
        if clearly or (fast and fast >= sum(count < 0 for count in partners.values())):
            found.add(node)
    return frozenset(found)


def _sound_pairs(evidence: Evidence) -> dict[tuple[str, ...], list[int]]:
    """Groups of cleared nodes inside leaves, each with its tests."""
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, pair in enumerate(evidence.pairs):
        if not evidence.crosses[index] and evidence.is_sound(index):
            found[pair].append(index)
    return found


def _chances(
    evidence: Evidence, pairs: Mapping[tuple[str, ...], Sequence[int]], without: Container[tuple[str, ...]]
) -> dict[str, Chances]:
    shares: dict[str, list[float]] = {kind: [] for kind in evidence.kinds}
    slow: dict[str, int] = defaultdict(int)
    died: dict[str, int] = defaultdict(int)
    for pair, tests in pairs.items():
        for index in tests if pair not in without else ():
            kind = evidence.outcomes[index].kind
            if evidence.outcomes[index].gbs is None:
                died[kind] += 1
            else:
                shares[kind].append(evidence.judged.shares[index])
                slow[kind] += evidence.slow[index]
    return {
        kind: Chances(tuple(sorted(mine)), slow[kind] / max(len(mine), 1), died[kind]) for kind, mine in shares.items()
    }

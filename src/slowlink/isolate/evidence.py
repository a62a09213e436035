"""What all tests together say before anybody is blamed: which were slow, and who was fast with somebody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from math import comb, prod

from msgspec import Struct
from msgspec.structs import replace

from slowlink.isolate.judge import Judged
from slowlink.model.isolation import Fabric, Outcome

SLOW_TWICE = 2
"""So often a node or a path must be slow; more often where many tests err."""
_SURE = 2
"""So much surer it must be that a pair is at fault before its tests are no measure of chance."""
_ERRS, _FEW = 0.01, 20
"""What is taken for the share of sound groups that chance makes slow, until so many groups were seen."""


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

    rates: Mapping[tuple[str, bool], float]
    """(kind, did it not finish?) -> how often chance does so to a sound group."""

    def chance(self, tests: Sequence[int]) -> float:
        """An upper bound of the probability that so many of these tests were slow by chance: each that was has the
        rate of its kind; which of those that are as steady were makes no difference. So two slow tests of a kind that
        never errs weigh, whatever noisy kinds say beside them."""
        rates = [self._rate(index) for index in tests if self.slow[index]]
        noisiest = max(rates, default=0.0)
        as_steady = sum(self._rate(index) <= noisiest for index in tests)
        return comb(max(as_steady, len(rates)), len(rates)) * prod(rates)

    def _rate(self, index: int) -> float:
        outcome = self.outcomes[index]
        return self.rates[outcome.kind, outcome.gbs is None]

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
    first = Evidence(outcomes, judged, fabric, slow, groups, crosses, kinds, known, {})
    pairs = _sound_pairs(first)
    # A pair at fault says nothing of chance. Which are at fault depends on chance in turn: first those are left out
    # that were slow more than once, then those that chance does not explain.
    again = {pair for pair, tests in pairs.items() if sum(slow[index] for index in tests) >= SLOW_TWICE}
    guess = replace(first, rates=_rates(first, pairs, again))
    at_fault = {pair for pair in again if guess.chance(pairs[pair]) < error / _SURE}
    return replace(first, rates=_rates(first, pairs, at_fault))


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


def _rates(
    evidence: Evidence, pairs: Mapping[tuple[str, ...], Sequence[int]], without: Container[tuple[str, ...]]
) -> dict[tuple[str, bool], float]:
    """How often chance makes a sound group slow, or keeps it from its end."""
    counts: dict[str, int] = defaultdict(int)
    hits: dict[tuple[str, bool], int] = defaultdict(int)
    for pair, tests in pairs.items():
        if pair in without:
            continue
        for index in tests:
            outcome = evidence.outcomes[index]
            counts[outcome.kind] += 1
            hits[outcome.kind, outcome.gbs is None] += evidence.slow[index]
    return {
        (kind, died): (hits[kind, died] + _FEW * _ERRS) / (counts[kind] + _FEW)
        for kind in evidence.kinds
        for died in (False, True)
    }

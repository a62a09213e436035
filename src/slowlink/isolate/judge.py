"""Is a group slow? Compared with its like: groups of the same round, inside a leaf or between leaves.

All groups of a round ran at the same moment, so whatever drifts meets all alike and cancels. The spread is the scaled
median absolute deviation of the logarithms of all groups that are not slow, at least 0.3 % (docs/physics.md,
"Run-to-run variation"): healthy fleets are so even that noise would be flagged without a floor.

A group is slow below ``1 - margin`` of its like. The margin is what anybody would notice (3 %), or more where the noise
asks for more: a node is blamed only when it was slow at least twice with partners that are sound, so with N nodes and
an error rate of e each single test may err with probability sqrt(e / N).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt
from statistics import NormalDist

from msgspec import Struct

from slowlink.averages import median, robust_deviation
from slowlink.model.isolation import Fabric, Outcome

LEAST_MARGIN = 0.03
LEAST_SPREAD = 0.003
_FEWEST = 6
"""Groups of one kind in a round, from which on they have a median of their own."""
_ENOUGH = 20
"""From so many on it is the median, which one of them hardly moves."""
_FEWEST_OF_ROUND = 3
"""Tests that have a spread at all."""
_APART = 0.10
"""What all groups of a leaf or a round may lack beside the others and be a reference for themselves all the same."""
_POWER = 0.9
_UNSURE = 1.5
"""Standard errors of a spread by the median absolute deviation, of n tests: 1.17 / sqrt(n); nine times out of ten it is
less than this / sqrt(n) below the true one."""
_REFERENCE = 1.1
"""The median of a handful of groups has noise of its own."""
_LEAST_SHARE = 1e-6
_MUCH_FASTER, _MANY = 1.2, 0.05
_MANY_TESTS = 12
"""From so many tests on a kind has a spread of its own."""
_MOST_NODES = 0.9


class Judged(Struct, frozen=True):
    """Every outcome as a share of its like, and where slow begins."""

    shares: tuple[float, ...]
    """In the order of the outcomes; 0 for one that did not finish."""
    margins: tuple[float, ...]
    """In the same order: slow is below 1 minus this. Each kind of test has its own, for some are steadier."""
    spread: float
    """Of sound groups in the steadiest kind of test that most nodes had: one standard deviation of the logarithm."""
    margin: float
    """The same kind's."""
    counted: int = 0
    """Tests that the spread was read off."""
    too_fast: tuple[str, ...] = ()
    """Kinds of tests of which many were much faster than half of their like: then most may be slow, and the median of
    them is no reference."""

    def is_slow(self, index: int) -> bool:
        """Was the outcome in this place slow?"""
        return self.shares[index] < 1 - self.margins[index]

    @property
    def smallest(self) -> float:
        """The smallest slowdown of a node that would have been seen with a probability of 90 %, as a share: it must
        show three times. The spread is read off few tests and may be larger, and the reference is off by a little."""
        if self.counted < _FEWEST_OF_ROUND:
            return 1.0  # two tests, or one, show no spread
        spread = self.spread * (1 + _UNSURE / sqrt(self.counted))
        margin = max(
            self.margin, 1 - exp(log(1 - self.margin) * spread / self.spread) if self.margin > LEAST_MARGIN else 0
        )
        return 1 - (1 - margin) * exp(-NormalDist().inv_cdf(_POWER ** (1 / 3)) * spread * _REFERENCE)


def judge(outcomes: Sequence[Outcome], fabric: Fabric, confidence: float, usual_gbs: float | None = None) -> Judged:
    """``confidence``: 0.99 blames an innocent node in one of a hundred runs. ``usual_gbs``: what a sound group gives,
    where it is known; else the median of a group's like says it, and then at least half of them must be sound."""
    usual = _usual(outcomes, fabric, usual_gbs)
    shares = tuple((outcome.gbs or 0.0) / usual[index] for index, outcome in enumerate(outcomes))
    kinds: dict[str, list[int]] = {}
    for index, outcome in enumerate(outcomes):
        kinds.setdefault(outcome.kind, []).append(index)
    pooled = _spread(shares, len(fabric.nodes), confidence)
    spreads = {}
    for kind, tests in kinds.items():
        own = _spread([shares[index] for index in tests], len(fabric.nodes), confidence)
        spreads[kind] = own if len(tests) >= _MANY_TESTS else max(own, pooled)
    margins = {kind: _margin(spread, len(fabric.nodes), confidence) for kind, spread in spreads.items()}
    reach = {kind: len({node for index in tests for node in outcomes[index].group}) for kind, tests in kinds.items()}
    widest = [kind for kind in kinds if reach[kind] >= _MOST_NODES * max(reach.values())]
    steadiest = min(widest, key=lambda kind: spreads[kind], default="")
    spread = spreads.get(steadiest, pooled)
    return Judged(
        shares,
        tuple(margins[outcome.kind] for outcome in outcomes),
        spread,
        _margin(spread, len(fabric.nodes), confidence),
        len(kinds.get(steadiest, ())),
        _too_fast(outcomes, shares, spreads),
    )


def _spread(shares: Sequence[float], nodes: int, confidence: float) -> float:
    """Of those that are not slow: slow ones would widen it, and what is slow depends on it in turn."""
    logs = [log(max(share, _LEAST_SHARE)) for share in shares]
    spread = LEAST_SPREAD
    for _ in range(3):
        lowest = log(1 - _margin(spread, nodes, confidence))
        sound = [value for value in logs if value >= 2 * lowest]
        spread = max(LEAST_SPREAD, robust_deviation(sound) if sound else 0.0)
    return spread


def _too_fast(outcomes: Sequence[Outcome], shares: Sequence[float], spreads: Mapping[str, float]) -> tuple[str, ...]:
    kinds: dict[str, list[float]] = {}
    for outcome, share in zip(outcomes, shares, strict=True):
        kinds.setdefault(outcome.kind, []).append(share)
    return tuple(
        kind or "the test"
        for kind, values in kinds.items()
        if sum(share > max(_MUCH_FASTER, exp(3 * spreads[kind])) for share in values) >= max(2, _MANY * len(values))
    )


def _margin(spread: float, nodes: int, confidence: float) -> float:
    error = sqrt((1 - confidence) / max(nodes, 1))
    margin = 1 - exp(NormalDist().inv_cdf(min(0.5, error)) * spread)
    return min(max(LEAST_MARGIN, margin), 1 - _LEAST_SHARE)


def _usual(outcomes: Sequence[Outcome], fabric: Fabric, usual_gbs: float | None) -> list[float]:
    """For each outcome what its like gives, GB/s."""
    if usual_gbs is not None:
        return [usual_gbs] * len(outcomes)
    kinds: dict[object, list[float]] = {}
    for outcome in outcomes:
        for kind in _kinds(outcome, fabric):
            kinds.setdefault(kind, []).append(outcome.gbs or 0.0)
    groups = {kind: sorted(values) for kind, values in kinds.items() if len(values) >= _FEWEST}
    whole = _whole_rounds(outcomes, fabric)
    overall: dict[str, list[float]] = {}
    for outcome in outcomes:
        overall.setdefault(outcome.kind, []).append(outcome.gbs or 0.0)
    middles = {kind: median(values) or 1.0 for kind, values in overall.items()}
    found = []
    for index, outcome in enumerate(outcomes):
        usual = middles[outcome.kind]
        for place, kind in enumerate(_kinds(outcome, fabric)):
            # A narrow one takes out what its groups share at a moment; one that is far below is itself slow: a leaf at
            # fault, or a round that tried what was slow again.
            narrow = _among(groups[kind], outcome.gbs or 0.0, usual) if kind in groups else 0.0
            usual = narrow if narrow and narrow >= usual * (1 - _APART) else usual
            usual = whole.get(index, usual) if place == 0 else usual
        found.append(usual)
    return found


def _whole_rounds(outcomes: Sequence[Outcome], fabric: Fabric) -> dict[int, float]:
    """Of each test of a round in which most nodes took part: what was usual in this round, GB/s. Such a round holds
    everybody alike, so one that is slow as a whole is a slow moment."""
    rounds: dict[tuple[str, int], list[int]] = {}
    for index, outcome in enumerate(outcomes):
        rounds.setdefault((outcome.kind, outcome.round), []).append(index)
    if len({number for _, number in rounds}) < 2:
        return {}
    whole: list[tuple[list[int], list[int]]] = []
    for mine in rounds.values():
        nodes = {node for index in mine for node in outcomes[index].group}
        inside = [index for index in mine if not fabric.crosses(outcomes[index].group)]
        once = sum(len(outcomes[index].group) for index in mine) == len(nodes)
        if once and len(nodes) >= _MOST_NODES * len(fabric.nodes) and len(inside) >= _FEWEST_OF_ROUND:
            whole.append((mine, inside))
    every = {kind: median(values) for kind, values in _rates(outcomes, whole).items()}
    found: dict[int, float] = {}
    for mine, inside in whole:
        ordered = sorted(outcomes[index].gbs or 0.0 for index in inside)
        wider = every[outcomes[mine[0]].kind] or 1.0
        for index in mine:
            found[index] = _among(ordered, outcomes[index].gbs or 0.0, wider, among=index in inside) or 1.0
    return found


def _rates(outcomes: Sequence[Outcome], whole: Sequence[tuple[list[int], list[int]]]) -> dict[str, list[float]]:
    """Kind -> what the tests inside leaves gave in these rounds, GB/s."""
    found: dict[str, list[float]] = {}
    for mine, inside in whole:
        found.setdefault(outcomes[mine[0]].kind, []).extend(outcomes[index].gbs or 0.0 for index in inside)
    return found


def _among(ordered: Sequence[float], own: float, wider: float, *, among: bool = True) -> float:
    """What a group's like give, GB/s. ``ordered``: what they gave, with its ``own``; ``wider``: what is usual
    elsewhere. Of few a test is no reference for itself, the fastest third alone makes no fast moment, for a lucky test
    would make all beside it slow, and the slowest two thirds alone no slow one, for several may be at fault."""
    if len(ordered) >= _ENOUGH:
        return median(ordered)
    others = list(ordered)
    if among:
        others.remove(own)
    at = min(2 * len(others) // 3, len(others) - 1)
    return min(max(wider, others[-1 - at]), others[at]) if others else wider


def _kinds(outcome: Outcome, fabric: Fabric) -> tuple[object, ...]:
    """From the widest to the narrowest: inside or between leaves, also in this round, also in this leaf."""
    crosses = outcome.kind, fabric.crosses(outcome.group)
    now = *crosses, outcome.round
    return crosses, now, now if crosses[1] else (*now, fabric.leaf(outcome.group[0]))

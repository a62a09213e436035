"""Nodes that are slower than others over all of their partners, where single tests are too noisy to tell.

What the pairs of a node give is compared with what pairs of others give, by ranks (Mann and Whitney 1947): nothing is
assumed of the noise, which may have two levels or heavy tails. A slow path is one partner of many, and moves no ranks.
Several nodes may be at fault, and then hide one another: the k slowest are taken out together, and each of them is
compared with pairs without any of them, at an error rate that is shared among all choices of k nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import ceil, comb, exp, log, sqrt
from statistics import NormalDist

from slowlink.averages import median
from slowlink.isolate.evidence import Evidence
from slowlink.isolate.judge import LEAST_MARGIN, LEAST_SPREAD

FEWEST_PARTNERS = 5
_FEWEST_OTHERS = 8
_MOST_TOGETHER = 16
_LEAST_SHARE = 1e-3
_POWER = 0.9
LOOKS = 4
"""A search looks again after each round, and each look may err: the error rate is shared among so many. A node is not
looked at before it has met most of its partners, so they are few."""
_FEWEST_SOUND, _OF_A_PAIR = 4, 2
_MET, _MET_ENOUGH = 0.6, 10
_EXACT = 4000
_MEETS = 0.6
"""Of its partners a slow node meets fewer than others do: while it is suspected it has no part in surveys."""
_ALWAYS = 0.49
_TENTHS = 2.563
"""Standard deviations between the tenth and the ninetieth percentile."""

Values = dict[tuple[str, str], list[float]]


def steadily_slow(evidence: Evidence, kind: str, known: frozenset[str], error: float) -> dict[str, float]:
    """Node -> what it gives, as a share of what is usual. ``known``: nodes that are at fault already. ``error``: the
    probability with which chance may blame any of all nodes."""
    values = _values(evidence, kind, known)
    order = sorted(_medians(values).items(), key=lambda item: (item[1], item[0]))
    found: dict[str, float] = {}
    for count in range(1, min(_MOST_TOGETHER, len(order) // 4) + 1):
        together = [node for node, _ in order[:count]]
        shares = _slower(values, together, error / LOOKS / comb(len(order), count))
        if len(shares) == count:
            found = shares
    return found


def _slower(values: Values, nodes: Sequence[str], error: float) -> dict[str, float]:
    """Those of ``nodes`` whose pairs with all others are slower than pairs of the others."""
    apart = set(nodes)
    others = [value for pair, mine in values.items() if not apart & set(pair) for value in mine]
    if len(others) < _FEWEST_OTHERS:
        return {}
    found = {}
    for node in nodes:
        with_others = [mine for pair, mine in values.items() if node in pair and len(apart & set(pair)) == 1]
        mine = [value for of_pair in with_others for value in of_pair]
        lacks = median(mine) - median(others) if mine else 0.0
        if len(with_others) >= _FEWEST_SOUND and lacks < log(1 - LEAST_MARGIN) and _lower(mine, others) < error:
            found[node] = exp(lacks)
    return found


def _lower(mine: Sequence[float], others: Sequence[float]) -> float:
    """The probability that chance puts ``mine`` so low among ``others``: Mann and Whitney's test, one-sided; exact for
    few, else in its normal approximation, which is too careful in the far tail. Ties count half."""
    one, two = len(mine), len(others)
    above = sum((value > other) + (value == other) / 2 for value in mine for other in others)
    if one * two <= _EXACT:
        return _exact(one, two, ceil(above))
    variance = one * two * (one + two + 1) / 12
    return NormalDist().cdf((above + 0.5 - one * two / 2) / sqrt(variance))


@lru_cache(maxsize=64)
def _tails(one: int, two: int) -> tuple[float, ...]:
    """Index: u. The probability of at most so many pairs in which the first is above the second: the coefficients of
    the Gaussian binomial, added up."""
    counts = [1] + [0] * (one * two)
    for step in range(1, one + 1):
        for at in range(one * two, two + step - 1, -1):
            counts[at] -= counts[at - two - step]
        for at in range(step, one * two + 1):
            counts[at] += counts[at - step]
    total = comb(one + two, one)
    return tuple(value / total for value in accumulate(counts))


def _exact(one: int, two: int, above: int) -> float:
    return _tails(one, two)[min(above, one * two)] if one and two else 1.0


def _values(evidence: Evidence, kind: str, without: frozenset[str]) -> Values:
    """Pair -> the logarithms of the share in its first tests, inside leaves; more of one would weigh too much."""
    tests: dict[tuple[str, str], list[float]] = defaultdict(list)
    if max(map(len, evidence.kinds[kind].values())) < FEWEST_PARTNERS:
        return {}
    for index, pair in enumerate(evidence.pairs):
        mine = evidence.outcomes[index].kind == kind and not evidence.crosses[index]
        if mine and len(pair) == 2 and not (without and without & set(pair)):
            tests[pair[0], pair[1]].append(log(max(evidence.judged.shares[index], _LEAST_SHARE)))
    return {pair: logs[:_OF_A_PAIR] for pair, logs in tests.items()}


def _medians(values: Values) -> dict[str, float]:
    """Of nodes with enough partners: the median over them."""
    partners: dict[str, list[float]] = defaultdict(list)
    for pair, mine in values.items():
        for node in pair:
            partners[node].append(median(mine))
    enough = max(FEWEST_PARTNERS, min(_MET_ENOUGH, ceil(_MET * (len(partners) - 1))))
    return {node: median(mine) for node, mine in partners.items() if len(mine) >= enough}


def smallest_steady(evidence: Evidence, without: frozenset[str], error: float) -> float:
    """The smallest slowdown that shows in this way nine times out of ten in the kind of test that tells most, as a
    share; 1 where no kind has enough partners for most nodes. ``without``: nodes at fault, which are no noise."""
    least = 1.0
    for kind in evidence.kinds:
        values = _values(evidence, kind, without)
        counted = _medians(values)
        if not counted or 2 * len(counted) < len(evidence.fabric.nodes) - len(without):
            continue
        mine = 2 * len(values) // (len(evidence.fabric.nodes) - len(without))
        others = len(values) - mine
        mine = int(_MEETS * mine)
        if mine < FEWEST_PARTNERS or others < _FEWEST_OTHERS:
            continue
        ordered = sorted(value for of_pair in values.values() for value in of_pair)
        tenths = ordered[(9 * len(ordered)) // 10] - ordered[len(ordered) // 10]
        sigma = max(LEAST_SPREAD, tenths / _TENTHS)
        normal = NormalDist()
        # Mann and Whitney's statistic sees how often one of the node's is below one of the others, and no more.
        needed = normal.inv_cdf(_POWER) - normal.inv_cdf(error / LOOKS / len(counted))
        below = needed / sqrt(12 * mine * others / (mine + others + 1))
        if below >= _ALWAYS:
            continue
        shift = sqrt(2) * sigma * normal.inv_cdf(0.5 + below)
        clear = normal.inv_cdf(_POWER) * sigma * sqrt(1 / mine + 1 / others) - log(1 - LEAST_MARGIN)
        least = min(least, 1 - exp(-max(shift, clear)))
    return least

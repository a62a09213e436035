"""Which nodes are slow themselves.

A group is as slow as the worst of its parts: its nodes, and the paths between them. So one fast group clears all of its
parts at once, and a slow one blames one of them, nobody knows which. A node that is slow with partners that are fast
elsewhere is at fault itself, for their other paths were fast.

Where many pairs were tried, a node may also be slow with most partners and fast with some: part of it is at fault, or
at times. It is blamed where chance would not make so many of its pairs slow, at the rate at which others are
(binomial, with the error rate that was asked for, over all nodes).
"""

from __future__ import annotations

from collections import defaultdict
from math import comb

from slowlink.isolate.evidence import SLOW_TWICE, Evidence
from slowlink.isolate.steadily import steadily_slow
from slowlink.model.isolation import BadNode

_FEWEST_PARTNERS = 5
_ERRS, _FEW = 0.01, 20


def bad_nodes(evidence: Evidence, error: float) -> dict[str, BadNode]:
    """Node -> what is known of it, from the kind of test in which it gives least. ``error``: the probability with which
    chance may blame one node."""
    found: dict[str, BadNode] = {}
    for kind, mine in evidence.kinds.items():
        here = {
            node: bad
            for node, tests in mine.items()
            if (bad := _always(evidence, kind, node, tests, error)) is not None
        }
        here.update(_mostly(evidence, kind, frozenset(here), error))
        for node, share in steadily_slow(evidence, kind, frozenset(here), error * len(evidence.fabric.nodes)).items():
            here[node] = _bad(evidence, kind, node, mine[node], share)
        for node, bad in here.items():
            if node not in found or bad.share < found[node].share:
                found[node] = bad
    return found


def _always(evidence: Evidence, kind: str, node: str, mine: list[int], error: float) -> BadNode | None:
    """Slow with enough cleared partners and with most.

    A node that was fast inside its leaf is slow towards others because of a path, unless it is with several leaves.
    """
    outcomes, slow, fabric, cleared = evidence.outcomes, evidence.slow, evidence.fabric, evidence.cleared[kind]
    with_cleared = [
        index for index in mine if all(other in cleared for other in outcomes[index].group if other != node)
    ]
    inside = [index for index in with_cleared if not evidence.crosses[index]]
    if any(not slow[index] for index in inside):
        leaves = {fabric.leaf_pair(outcomes[index].group) for index in with_cleared if slow[index]} - {None}
        if len(leaves) < SLOW_TWICE:
            return None
    were_slow = [index for index in with_cleared if slow[index]]
    partners = {other for index in were_slow for other in outcomes[index].group if other != node}
    if min(len(were_slow), len(partners)) < SLOW_TWICE or 2 * len(were_slow) <= len(with_cleared):
        return None
    if evidence.chance(with_cleared) >= error:
        return None
    return _bad(evidence, kind, node, mine, evidence.middle(were_slow))


def _mostly(evidence: Evidence, kind: str, known: frozenset[str], error: float) -> dict[str, BadNode]:
    """Nodes that are slow with more than half of many partners inside their leaf, far above the rate of the others."""
    pairs: dict[tuple[str, ...], list[int]] = defaultdict(list)
    if max(map(len, evidence.kinds[kind].values())) < _FEWEST_PARTNERS:
        return {}
    for index, pair in enumerate(evidence.pairs):
        if evidence.outcomes[index].kind == kind and len(pair) == 2 and not evidence.crosses[index]:
            pairs[pair].append(index)
    slow = {pair: 2 * sum(evidence.slow[index] for index in tests) > len(tests) for pair, tests in pairs.items()}
    found: dict[str, BadNode] = {}
    while True:
        left = {pair: is_slow for pair, is_slow in slow.items() if not (known | found.keys()) & set(pair)}
        of: dict[str, list[bool]] = defaultdict(list)
        for pair, is_slow in left.items():
            for node in pair:
                of[node].append(is_slow)
        worst = max(of, key=lambda node: (sum(of[node]) / len(of[node]), node), default=None)
        if worst is None:
            return found
        hits, tried = sum(of[worst]), len(of[worst])
        rate = (sum(left.values()) - hits + _FEW * _ERRS) / (len(left) - tried + _FEW)
        if tried < _FEWEST_PARTNERS or 2 * hits <= tried or tail(hits, tried, rate) >= error:
            return found
        mine = evidence.kinds[kind][worst]
        were_slow = [index for index in mine if evidence.slow[index] and len(evidence.outcomes[index].group) == 2]
        found[worst] = _bad(evidence, kind, worst, mine, evidence.middle(were_slow))


def tail(hits: int, tried: int, rate: float) -> float:
    """The probability of ``hits`` or more of ``tried`` where each has that of ``rate``."""
    return sum(comb(tried, k) * rate**k * (1 - rate) ** (tried - k) for k in range(hits, tried + 1))


def _bad(evidence: Evidence, kind: str, node: str, mine: list[int], share: float) -> BadNode:
    were_slow = [index for index in mine if evidence.slow[index]]
    fine = [
        other
        for other, tests in evidence.kinds.items()
        if other != kind and node in tests and 2 * sum(evidence.slow[index] for index in tests[node]) < len(tests[node])
    ]
    return BadNode(
        node,
        share,
        len(were_slow),
        sum(evidence.outcomes[index].gbs is None for index in were_slow),
        len(mine),
        len(_partners(evidence, node, were_slow)),
        len(_partners(evidence, node, mine)),
        kind if len(evidence.kinds) > 1 else "",
        tuple(fine),
    )


def _partners(evidence: Evidence, node: str, tests: list[int]) -> set[str]:
    return {other for index in tests for other in evidence.outcomes[index].group if other != node}

"""What the outcomes say of nodes and of paths between them.

A group is as slow as the worst of its parts: its nodes, and the paths between them. So one fast group clears all of its
parts at once, and a slow one blames one of them, nobody knows which. A node that is slow with partners that are cleared
elsewhere is at fault itself, for their other paths were fast; a slow pair of two cleared nodes is a path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import ceil, log

from msgspec import Struct

from slowlink.isolate.judge import Judged
from slowlink.model.isolation import Fabric, Outcome, Path

SLOW_TWICE = 2
"""With so many different cleared partners a node must be slow; with more where many tests err."""
_MOST_TESTS = 5
_ERRS, _FEW = 0.01, 20
"""What is taken for the share of sound groups that chance makes slow, until so many groups were seen."""
_FEWEST_LEAVES = 3
_MOST_OF_THEM = 0.6


class Belief(Struct, frozen=True):
    """What is known after some rounds."""

    cleared: frozenset[str]
    """Nodes with a fast group."""
    bad: dict[str, float]
    """Node -> what it gives, as a share of what is usual."""
    suspects: tuple[str, ...]
    """Nodes of which it is not known yet."""
    paths: tuple[Path, ...]
    doubtful: tuple[tuple[str, ...], ...]
    """Pairs of cleared nodes that were slow, and were not tried again yet."""
    met: dict[str, frozenset[str]]
    """Node -> those that it was in a group with."""


def believe(outcomes: Sequence[Outcome], judged: Judged, fabric: Fabric, confidence: float) -> Belief:
    """Total: with no outcome everybody is a suspect."""
    slow = [judged.is_slow(index) for index in range(len(outcomes))]
    mine: dict[str, list[int]] = defaultdict(list)
    met: dict[str, set[str]] = defaultdict(set)
    for index, outcome in enumerate(outcomes):
        for node in outcome.group:
            mine[node].append(index)
            met[node].update(other for other in outcome.group if other != node)
    cleared = _cleared(fabric, mine, slow, outcomes, judged)
    needed = _needed(outcomes, slow, cleared, fabric, confidence)
    bad: dict[str, float] = {}
    suspects = []
    for node in fabric.nodes:
        found = _blame(node, mine[node], outcomes, slow, judged, cleared, fabric, needed)
        if found is not None:
            bad[node] = found
        elif node not in cleared:
            suspects.append(node)
    known = cleared - bad.keys()
    paths, doubtful = _paths(outcomes, slow, judged, fabric, known, needed)
    whole = {node: frozenset(others) for node, others in met.items()}
    return Belief(frozenset(known), bad, tuple(suspects), tuple(paths), tuple(doubtful), whole)


def _cleared(
    fabric: Fabric, mine: dict[str, list[int]], slow: Sequence[bool], outcomes: Sequence[Outcome], judged: Judged
) -> set[str]:
    """Once clearly fast; or just so, with as many partners as it is slow with: one lucky test among many slow ones
    clears nobody, and one slow path that is tried again and again blames nobody."""
    found = set()
    for node in fabric.nodes:
        partners: dict[tuple[str, ...], int] = defaultdict(int)
        for index in mine[node]:
            partners[outcomes[index].pair] += -1 if slow[index] else 1
        fast = sum(count > 0 for count in partners.values())
        clearly = any(judged.shares[index] >= 1 - judged.margin / 2 for index in mine[node])
        if clearly or (fast and fast >= sum(count < 0 for count in partners.values())):
            found.add(node)
    return found


def _needed(
    outcomes: Sequence[Outcome], slow: Sequence[bool], cleared: set[str], fabric: Fabric, confidence: float
) -> int:
    """How often a node must be slow before it is blamed: so that chance alone would do it to one of all nodes in less
    than one of 1 / (1 - confidence) searches. How often chance makes a sound group slow is read off groups of cleared
    nodes inside leaves."""
    sound = [
        index
        for index, outcome in enumerate(outcomes)
        if not fabric.crosses(outcome.group) and all(node in cleared for node in outcome.group)
    ]
    errs = (sum(slow[index] for index in sound) + _FEW * _ERRS) / (len(sound) + _FEW)
    wanted = (1 - confidence) / max(len(fabric.nodes), 1)
    return min(_MOST_TESTS, max(SLOW_TWICE, ceil(log(wanted) / log(min(errs, 0.5)))))


def _blame(
    node: str,
    mine: Sequence[int],
    outcomes: Sequence[Outcome],
    slow: Sequence[bool],
    judged: Judged,
    cleared: set[str],
    fabric: Fabric,
    needed: int,
) -> float | None:
    """What the node gives with cleared partners, where it was slow with enough of them and with most.

    A node that was fast inside its leaf is slow towards others because of a path, unless it is with several leaves.
    """
    with_cleared = [
        index for index in mine if all(other in cleared for other in outcomes[index].group if other != node)
    ]
    inside = [index for index in with_cleared if not fabric.crosses(outcomes[index].group)]
    if any(not slow[index] for index in inside):
        leaves = {fabric.leaf_pair(outcomes[index].group) for index in with_cleared if slow[index]} - {None}
        if len(leaves) < needed:
            return None
    were_slow = [index for index in with_cleared if slow[index]]
    partners = {other for index in were_slow for other in outcomes[index].group if other != node}
    if len(were_slow) < needed or len(partners) < SLOW_TWICE or 2 * len(were_slow) <= len(with_cleared):
        return None
    shares = sorted(judged.shares[index] for index in were_slow)
    return shares[len(shares) // 2]


def _paths(
    outcomes: Sequence[Outcome], slow: Sequence[bool], judged: Judged, fabric: Fabric, known: set[str], needed: int
) -> tuple[list[Path], list[tuple[str, ...]]]:
    """Paths that are slow although both ends are sound; and pairs that must be tried again to know."""
    sound = [index for index, outcome in enumerate(outcomes) if all(node in known for node in outcome.group)]
    found, blamed = _leaves(sound, outcomes, slow, judged, fabric)
    by_leaves: dict[tuple[str, str], list[int]] = defaultdict(list)
    by_pair: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in sound:
        joined = fabric.leaf_pair(outcomes[index].group)
        if joined is not None and not blamed & set(joined):
            by_leaves[joined].append(index)
        by_pair[outcomes[index].pair].append(index)
    explained: set[int] = {index for index in sound if blamed & {fabric.leaf(node) for node in outcomes[index].group}}
    for leaves, tests in by_leaves.items():
        were_slow = [index for index in tests if slow[index]]
        pairs = {outcomes[index].pair for index in were_slow}
        if len(pairs) >= SLOW_TWICE and len(were_slow) >= needed and 2 * len(were_slow) > len(tests):
            found.append(Path("leaves", leaves, _middle(judged, were_slow), len(were_slow)))
            explained.update(tests)
    doubtful = []
    for pair, tests in by_pair.items():
        were_slow = [index for index in tests if slow[index] and index not in explained]
        if 2 * len(were_slow) <= len(tests):
            continue
        if len(were_slow) >= needed:
            found.append(Path("nodes", pair, _middle(judged, were_slow), len(were_slow)))
        else:
            doubtful.append(pair)
    return found, doubtful


def _leaves(
    sound: Sequence[int], outcomes: Sequence[Outcome], slow: Sequence[bool], judged: Judged, fabric: Fabric
) -> tuple[list[Path], set[str]]:
    """Leaves that are slow towards most others: their uplinks."""
    towards: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index in sound:
        joined = fabric.leaf_pair(outcomes[index].group)
        if joined is not None:
            towards[joined[0]][joined[1]].append(index)
            towards[joined[1]][joined[0]].append(index)
    found, blamed = [], set()
    for leaf, others in towards.items():
        were_slow = [other for other, tests in others.items() if 2 * sum(slow[i] for i in tests) > len(tests)]
        if len(were_slow) >= _FEWEST_LEAVES and len(were_slow) > _MOST_OF_THEM * len(others):
            tests = [index for other in were_slow for index in others[other] if slow[index]]
            found.append(Path("leaf", (leaf,), _middle(judged, tests), len(tests)))
            blamed.add(leaf)
    return found, blamed


def _middle(judged: Judged, tests: Sequence[int]) -> float:
    shares = sorted(judged.shares[index] for index in tests)
    return shares[len(shares) // 2]

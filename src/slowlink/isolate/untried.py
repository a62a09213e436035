"""Paths that nobody has tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations
from math import comb

from slowlink.model.isolation import Fabric, Outcome


def count_untried_leaves(fabric: Fabric, cleared: Collection[str], outcomes: Iterable[Outcome]) -> int:
    """How many ``untried_leaves`` gives: of many there are too many to name."""
    leaves, done = _joined_leaves(fabric, cleared, outcomes)
    return comb(len(leaves), 2) - len(done)


def count_untried_pairs(cleared: Collection[str], outcomes: Iterable[Outcome]) -> int:
    """How many ``untried_pairs`` gives."""
    return comb(len(cleared), 2) - sum(all(node in cleared for node in pair) for pair in _tried(outcomes))


def untried_leaves(fabric: Fabric, cleared: Collection[str], outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """Pairs of leaves with cleared nodes that no two of these have joined."""
    leaves, done = _joined_leaves(fabric, cleared, outcomes)
    return {pair for pair in combinations(leaves, 2) if pair not in done}


def _joined_leaves(
    fabric: Fabric, cleared: Collection[str], outcomes: Iterable[Outcome]
) -> tuple[list[str], set[tuple[str, str]]]:
    """Leaves with cleared nodes, in order, and pairs of them that cleared nodes have joined."""
    leaves = sorted(leaf for leaf, members in fabric.leaves.items() if any(node in cleared for node in members))
    done = {
        joined
        for outcome in outcomes
        if all(node in cleared for node in outcome.group) and (joined := fabric.leaf_pair(outcome.group))
    }
    return leaves, done


def untried_pairs(cleared: Collection[str], outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """Pairs of cleared nodes that were not in a group of two together."""
    done = _tried(outcomes)
    return {pair for pair in combinations(sorted(cleared), 2) if pair not in done}


def _tried(outcomes: Iterable[Outcome]) -> set[tuple[str, ...]]:
    return {outcome.pair for outcome in outcomes if len(set(outcome.group)) == len(outcome.group) == 2}

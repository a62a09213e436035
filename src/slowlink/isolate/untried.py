"""Paths that nobody has tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from slowlink.model.isolation import Fabric, Outcome


def untried_leaves(fabric: Fabric, cleared: Collection[str], outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """Pairs of leaves with cleared nodes that no two of these have joined."""
    leaves = sorted(leaf for leaf, members in fabric.leaves.items() if any(node in cleared for node in members))
    done = {
        joined
        for outcome in outcomes
        if all(node in cleared for node in outcome.group) and (joined := fabric.leaf_pair(outcome.group))
    }
    return {pair for pair in combinations(leaves, 2) if pair not in done}


def untried_pairs(cleared: Collection[str], outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """Pairs of cleared nodes that were not in a group of two together."""
    done = {outcome.pair for outcome in outcomes if len(outcome.group) == 2}
    return {pair for pair in combinations(sorted(cleared), 2) if pair not in done}

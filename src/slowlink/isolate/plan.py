"""The next round: disjoint groups that run side by side, each of them for a question that is open.

First everybody is paired inside the own leaf, so that no path between leaves takes part. Then each suspect meets a
cleared node of its leaf that it has not met, while cleared nodes try the paths between leaves, each pair of leaves
once. What was slow there is tried again with other nodes (the leaves, or these two nodes?), and with the same (once, or
always?). Some cleared pairs run along: they tell what is usual in this round.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.isolate.belief import Belief
from slowlink.isolate.untried import untried_leaves, untried_pairs
from slowlink.model.isolation import Fabric, Outcome

Group = tuple[str, ...]
_ANCHORS = 12
"""Pairs of cleared nodes that run along in later rounds: a median needs some."""


class Plan(Struct, frozen=True):
    """One round."""

    groups: tuple[Group, ...]
    questions: int
    """How many of them answer something; the others are there to compare with. 0: nothing is open any more."""


def first_round(fabric: Fabric, seed: int) -> Plan:
    """Everybody once, inside leaves where there are several nodes."""
    chance = random.Random(seed)  # noqa: S311  (which nodes meet is no secret)
    groups: list[Group] = []
    alone: list[str] = []
    for members in fabric.leaves.values():
        order = members[:]
        chance.shuffle(order)
        if len(order) == 1:
            alone += order
        else:
            groups += _pairs(order)
    chance.shuffle(alone)
    if len(alone) == 1 and groups:
        smallest = min(groups, key=len)
        groups.remove(smallest)
        groups += [smallest[:2], (*smallest[2:], *alone)] if len(smallest) == 3 else [(*smallest, *alone)]
    elif len(alone) > 1:
        groups += _pairs(alone)
    return Plan(tuple(groups), len(groups))


def next_round(
    fabric: Fabric,
    belief: Belief,
    outcomes: Sequence[Outcome],
    seed: int,
    *,
    survey: bool = True,
    every_pair: bool = False,
) -> Plan:
    """What is open now. Without questions no groups. ``survey``: are paths that nobody tried yet a question?
    ``every_pair``: those between nodes, not only between leaves."""
    chance = random.Random(seed)  # noqa: S311
    free = _Free(fabric, belief, chance)
    asked = [*_of_suspects(belief, fabric, free, chance), *_of_doubts(belief, fabric, free)]
    untried = (_of_pairs if every_pair else _of_leaves)(belief, fabric, outcomes, free)
    questions = len(asked) + (len(untried) if survey else 0)
    if not questions:
        return Plan((), 0)
    anchors = [pair for _, pair in zip(range(_ANCHORS), free.pairs_inside_leaves(), strict=False)]
    groups = [*asked, *untried, *anchors]
    chance.shuffle(groups)  # who runs first, or beside whom, must not depend on what was slow before
    return Plan(tuple(groups), questions)


class _Free:
    """Cleared nodes that have no group yet in this round."""

    def __init__(self, fabric: Fabric, belief: Belief, chance: random.Random) -> None:
        self._leaves: dict[str, list[str]] = {}
        self._met = belief.met
        for leaf, members in fabric.leaves.items():
            self._leaves[leaf] = [node for node in members if node in belief.cleared]
            chance.shuffle(self._leaves[leaf])
        self._order = list(self._leaves)
        chance.shuffle(self._order)

    def take(self, leaf: str, stranger_to: Sequence[str] = ()) -> str | None:
        """One of this leaf, which none of ``stranger_to`` has met, where there is such a one."""
        members = self._leaves.get(leaf, [])
        known = frozenset().union(*(self._met.get(node, frozenset()) for node in stranger_to))
        for index in range(len(members) - 1, -1, -1):
            if members[index] not in known:
                return members.pop(index)
        return members.pop() if members and not stranger_to else None

    def take_these(self, nodes: Sequence[str], fabric: Fabric) -> bool:
        """Exactly these, if all of them are free."""
        if any(node not in self._leaves.get(fabric.leaf(node), ()) for node in nodes):
            return False
        for node in nodes:
            self._leaves[fabric.leaf(node)].remove(node)
        return True

    def anywhere(self, stranger_to: Sequence[str]) -> str | None:
        """One of any leaf."""
        for leaf in self._order:
            if (found := self.take(leaf, stranger_to)) is not None:
                return found
        return None

    def pairs_inside_leaves(self) -> Iterator[Group]:
        """From leaf to leaf in turns, so that few pairs stand for all."""
        while any(len(members) > 1 for members in self._leaves.values()):
            for leaf in self._order:
                if len(self._leaves[leaf]) > 1:
                    yield self._leaves[leaf].pop(), self._leaves[leaf].pop()

    def count(self, leaf: str) -> int:
        return len(self._leaves.get(leaf, ()))


def _pairs(order: Sequence[str]) -> list[Group]:
    """Two by two; the last three together where one would be left."""
    groups = [tuple(order[index : index + 2]) for index in range(0, len(order) - 1, 2)]
    if len(order) % 2 and groups:
        groups[-1] = (*groups[-1], order[-1])
    return groups


def _of_suspects(belief: Belief, fabric: Fabric, free: _Free, chance: random.Random) -> list[Group]:
    groups: list[Group] = []
    for node in belief.suspects:
        partner = free.take(fabric.leaf(node), [node]) or free.anywhere([node])
        if partner is not None:
            groups.append((node, partner))
    if not groups and belief.suspects and not belief.cleared:
        # Nobody is cleared: other pairs of the same may be luckier.
        return _pairs(chance.sample(belief.suspects, len(belief.suspects)))
    return groups


def _of_doubts(belief: Belief, fabric: Fabric, free: _Free) -> list[Group]:
    """The same pair again; and between leaves also two others of them."""
    groups: list[Group] = []
    for pair in belief.doubtful:
        if free.take_these(pair, fabric):
            groups.append(pair)
        joined = fabric.leaf_pair(pair)
        if joined is not None and free.count(joined[0]) and free.count(joined[1]):
            one, other = free.take(joined[0]), free.take(joined[1])
            if one is not None and other is not None:
                groups.append((one, other))
    return groups


def _of_pairs(belief: Belief, fabric: Fabric, outcomes: Sequence[Outcome], free: _Free) -> list[Group]:
    """Pairs of cleared nodes that have not met: first those of nodes that have most of them before them."""
    left = untried_pairs(belief.cleared, outcomes)
    open_ = Counter(node for pair in left for node in pair)
    order = sorted(
        left, key=lambda pair: (-max(open_[pair[0]], open_[pair[1]]), -open_[pair[0]] - open_[pair[1]], pair)
    )
    return [pair for pair in order if free.take_these(pair, fabric)]


def _of_leaves(belief: Belief, fabric: Fabric, outcomes: Sequence[Outcome], free: _Free) -> list[Group]:
    """Pairs of leaves that no two cleared nodes have joined yet: the leaf with most open partners first."""
    open_: dict[str, set[str]] = {}
    for one, other in untried_leaves(fabric, belief.cleared, outcomes):
        open_.setdefault(one, set()).add(other)
        open_.setdefault(other, set()).add(one)
    groups: list[Group] = []
    for leaf in sorted(open_, key=lambda each: (-len(open_[each]), each)):
        for other in sorted(open_[leaf], key=lambda each: (-free.count(each), each)):
            if not free.count(leaf):
                break
            if not free.count(other):
                continue
            pair = free.take(leaf), free.take(other)
            if pair[0] is not None and pair[1] is not None:
                groups.append((pair[0], pair[1]))
                open_[other].discard(leaf)
        open_[leaf] = set()
    return groups

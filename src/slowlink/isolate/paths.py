"""Which paths are slow although both of their ends are sound; and pairs that must be tried again to know."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence

from slowlink.isolate.evidence import SLOW_TWICE, Evidence
from slowlink.model.isolation import COARSE, Path

_FEWEST_LEAVES = 3
_MOST_OF_THEM = 0.6


def slow_paths(evidence: Evidence, bad: Container[str], error: float) -> tuple[list[Path], list[tuple[str, ...]]]:
    """Paths, and doubtful pairs of sound nodes. ``error``: the probability with which chance may blame one path."""
    outcomes, slow, fabric = evidence.outcomes, evidence.slow, evidence.fabric
    sound = [
        index
        for index, outcome in enumerate(outcomes)
        if evidence.is_sound(index) and not any(node in bad for node in outcome.group)
    ]
    found, blamed = _leaves(evidence, sound)
    by_leaves: dict[tuple[str, str], list[int]] = defaultdict(list)
    by_pair: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in sound:
        joined = fabric.leaf_pair(outcomes[index].group) if evidence.crosses[index] else None
        if joined is not None and not blamed & set(joined):
            by_leaves[joined].append(index)
        by_pair[evidence.pairs[index]].append(index)
    explained: set[int] = {
        index for index in sound if blamed and blamed & {fabric.leaf(node) for node in outcomes[index].group}
    }
    for leaves, tests in by_leaves.items():
        were_slow = [index for index in tests if slow[index]]
        pairs = {evidence.pairs[index] for index in were_slow}
        if len(pairs) >= SLOW_TWICE and 2 * len(were_slow) > len(tests) and evidence.chance(tests) < error:
            found.append(Path("leaves", leaves, evidence.middle(were_slow), len(were_slow)))
            explained.update(tests)
    doubtful = []
    for pair, tests in by_pair.items():
        were_slow = [index for index in tests if slow[index] and index not in explained]
        mostly, proven = (
            2 * len(were_slow) > len(tests),
            len(were_slow) >= SLOW_TWICE and evidence.chance(tests) < error,
        )
        if mostly and proven:
            found.append(Path("nodes", pair, evidence.middle(were_slow), len(were_slow)))
        elif mostly or proven or _contradicts(evidence, tests, were_slow):
            doubtful.append(pair)
    # What was slowest is tried again first.
    doubtful.sort(key=lambda pair: min(evidence.judged.shares[index] for index in by_pair[pair]))
    return found, doubtful


def _contradicts(evidence: Evidence, tests: Sequence[int], were_slow: Sequence[int]) -> bool:
    """Was the pair tested several times in one round, as surveys of others are, half of the times slow, or once so slow
    that anybody would notice, or without an end? A later round in which it was fast has tried it again."""
    slow, rounds = set(were_slow), Counter(evidence.outcomes[index].round for index in tests)
    last_fast = max((evidence.outcomes[index].round for index in tests if index not in slow), default=0)
    for number, count in rounds.items():
        mine = [index for index in were_slow if evidence.outcomes[index].round == number >= last_fast]
        gross = any(evidence.judged.shares[index] < 1 - COARSE for index in mine)
        if count > 1 and mine and (2 * len(mine) >= count or gross):
            return True
    return False


def _leaves(evidence: Evidence, sound: Sequence[int]) -> tuple[list[Path], set[str]]:
    """Leaves that are slow towards most others: their uplinks."""
    towards: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index in sound:
        joined = evidence.fabric.leaf_pair(evidence.outcomes[index].group) if evidence.crosses[index] else None
        if joined is not None:
            towards[joined[0]][joined[1]].append(index)
            towards[joined[1]][joined[0]].append(index)
    found, blamed = [], set()
    for leaf, others in towards.items():
        were_slow = [other for other, tests in others.items() if 2 * sum(evidence.slow[i] for i in tests) > len(tests)]
        if len(were_slow) >= _FEWEST_LEAVES and len(were_slow) > _MOST_OF_THEM * len(others):
            tests = [index for other in were_slow for index in others[other] if evidence.slow[index]]
            found.append(Path("leaf", (leaf,), evidence.middle(tests), len(tests)))
            blamed.add(leaf)
    return found, blamed

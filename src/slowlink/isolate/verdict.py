"""What a search has found, put together for reports and scripts."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.isolate.belief import Belief
from slowlink.isolate.judge import Judged
from slowlink.isolate.untried import untried_leaves, untried_pairs
from slowlink.model.isolation import BadNode, Fabric, Open, Outcome, Verdict


def verdict(
    fabric: Fabric, outcomes: Sequence[Outcome], judged: Judged, belief: Belief, confidence: float, rounds: int
) -> Verdict:
    """Put it together. Pure."""
    slow = {index for index in range(len(outcomes)) if judged.is_slow(index)}
    bad = []
    for name, share in sorted(belief.bad.items(), key=lambda item: item[1]):
        mine = [index for index in slow if name in outcomes[index].group]
        bad.append(BadNode(name, share, len(mine), sum(outcomes[index].gbs is None for index in mine)))
    return Verdict(
        bad=tuple(bad),
        paths=belief.paths,
        open=(*_open_nodes(belief, outcomes, slow), *_open_pairs(belief, outcomes, slow)),
        good=tuple(node for node in fabric.nodes if node in belief.cleared),
        confidence=confidence,
        smallest=judged.smallest,
        spread=judged.spread,
        untried=len(untried_leaves(fabric, belief.cleared, outcomes)),
        untried_pairs=0 if len(fabric.leaves) > 1 else len(untried_pairs(belief.cleared, outcomes)),
        doubted=judged.too_fast,
        rounds=rounds,
        tests=len(outcomes),
        node_tests=sum(len(outcome.group) for outcome in outcomes),
    )


def _open_nodes(belief: Belief, outcomes: Sequence[Outcome], slow: set[int]) -> list[Open]:
    """Suspects that were slow together: one of them, or what lies between."""
    found: list[Open] = []
    done: set[str] = set()
    for node in belief.suspects:
        if node in done:
            continue
        mine = [index for index in slow if node in outcomes[index].group]
        others = {other for index in mine for other in outcomes[index].group if other in belief.suspects}
        together = tuple(sorted(others | {node}))
        done.update(together)
        met = frozenset().union(*(belief.met.get(each, frozenset()) for each in together))
        strangers = sorted(belief.cleared - met)
        found.append(Open(together, _why(together, tested=bool(mine)), tuple(zip(together, strangers, strict=False))))
    return found


def _why(together: Sequence[str], *, tested: bool) -> str:
    if len(together) > 1:
        return "slow together: one of them, or the path between them"
    return "slow, and not with enough sound partners to say so" if tested else "not tested"


def _open_pairs(belief: Belief, outcomes: Sequence[Outcome], slow: set[int]) -> list[Open]:
    tested: dict[tuple[str, ...], list[bool]] = {pair: [] for pair in belief.doubtful}
    for index, outcome in enumerate(outcomes):
        if outcome.pair in tested:
            tested[outcome.pair].append(index in slow)
    return [
        Open(pair, f"slow in {sum(were)} of {len(were)} tests, although each is fast with others", (pair,))
        for pair, were in tested.items()
    ]

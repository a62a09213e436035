"""What a search has found, put together for reports and scripts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from slowlink.isolate.belief import Belief
from slowlink.isolate.judge import Judged
from slowlink.isolate.untried import count_untried_leaves, count_untried_pairs
from slowlink.model.isolation import Fabric, Open, Outcome, Recurs, Verdict

_RECURRING, _FEWEST = 3, 3


def verdict(
    fabric: Fabric, outcomes: Sequence[Outcome], judged: Judged, belief: Belief, confidence: float, rounds: int
) -> Verdict:
    """Put it together. Pure."""
    slow = {index for index in range(len(outcomes)) if judged.is_slow(index)}
    return Verdict(
        bad=tuple(sorted(belief.bad.values(), key=lambda bad: (bad.share, bad.name))),
        paths=belief.paths,
        open=(*_open_nodes(belief, outcomes, slow), *_borderline(belief), *_open_pairs(belief, outcomes, slow)),
        good=tuple(node for node in fabric.nodes if node in belief.cleared),
        confidence=confidence,
        smallest=belief.smallest,
        spread=judged.spread,
        untried=count_untried_leaves(fabric, belief.cleared, outcomes),
        untried_pairs=0 if len(fabric.leaves) > 1 else count_untried_pairs(belief.cleared, outcomes),
        doubted=judged.too_fast,
        uneven=belief.uneven,
        recurs=tuple(_recurs(belief, outcomes, slow)),
        rounds=rounds,
        tests=len(outcomes),
        node_tests=sum(len(outcome.group) for outcome in outcomes),
    )


def _open_nodes(belief: Belief, outcomes: Sequence[Outcome], slow: set[int]) -> list[Open]:
    """Suspects that were slow together: one of them, or what lies between."""
    found: list[Open] = []
    done: set[str] = set()
    of: dict[str, list[int]] = defaultdict(list)
    for index in slow:
        for node in outcomes[index].group:
            of[node].append(index)
    cleared = sorted(belief.cleared)
    for node in belief.suspects:
        if node in done:
            continue
        mine = of.get(node, [])
        others = {other for index in mine for other in outcomes[index].group if other in belief.suspects}
        together = tuple(sorted(others | {node}))
        done.update(together)
        met = frozenset().union(*(belief.met.get(each, frozenset()) for each in together))
        strangers = (other for other in cleared if other not in met)
        found.append(Open(together, _why(together, tested=bool(mine)), tuple(zip(together, strangers, strict=False))))
    return found


def _why(together: Sequence[str], *, tested: bool) -> str:
    if len(together) > 1:
        return "slow together: one of them, or the path between them"
    return "slow, and not with enough sound partners to say so" if tested else "not tested"


def _borderline(belief: Belief) -> list[Open]:
    return [
        Open(
            (node,),
            f"slow with {count} of {count_of} partners: too many for paths, too few to blame it",
            (),
        )
        for node, (count, count_of) in belief.borderline.items()
    ]


def _open_pairs(belief: Belief, outcomes: Sequence[Outcome], slow: set[int]) -> list[Open]:
    tested: dict[tuple[str, ...], list[int]] = {pair: [] for pair in belief.doubtful}
    for index, outcome in enumerate(outcomes):
        if tested and outcome.pair in tested:
            tested[outcome.pair].append(index)
    return [Open(pair, _of_pair(tests, outcomes, slow), (pair,)) for pair, tests in tested.items()]


def _of_pair(tests: Sequence[int], outcomes: Sequence[Outcome], slow: set[int]) -> str:
    were = [index for index in tests if index in slow]
    died = sum(outcomes[index].gbs is None for index in were)
    what = "did not finish" if died == len(were) else f"slow or without an end ({died})" if died else "slow"
    kinds = dict.fromkeys(outcomes[index].kind for index in were)
    where = f" ({'; '.join(kinds)})" if len(kinds) < len({outcomes[index].kind for index in tests}) else ""
    what_else = "the path, or a moment" if 2 * len(were) > len(tests) else "the path at times, or moments"
    return f"{what} in {len(were)} of {len(tests)} tests{where}, although each is fast with others: {what_else}"


def _recurs(belief: Belief, outcomes: Sequence[Outcome], slow: set[int]) -> Iterator[Recurs]:
    """Where to look first. Only pairs that are open or named count: a slow moment that passed is no trace."""
    suspects = frozenset(belief.suspects)
    named = {path.ends for path in belief.paths} | set(belief.doubtful)
    pairs = {
        pair
        for pair in (outcomes[index].pair for index in slow)
        if len(pair) == 2 and (pair in named or suspects.issuperset(pair))
    }
    for node, count in Counter(node for pair in pairs for node in pair).most_common(_RECURRING):
        if count >= _FEWEST:
            yield Recurs(node, count, len(pairs))

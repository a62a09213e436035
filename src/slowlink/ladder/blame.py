"""Which tests of a layer are slow beside their like, and which node, HCA, port or path that blames.

What the best tests agree on is usual: a sick node is in two of a ring's pairs, so that in a small cluster half of the
tests may be slow and the median is one of them. One fast test clears all of its parts; a part that no fast test clears
is to blame for a slow one whose other parts are cleared; where all are, it is the path between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.averages import median
from slowlink.model.ladder import Blamed, LadderResult, LadderTest

_FEWEST_TO_COMPARE = 3
_FEWEST_FAST = 0.25
"""With fewer tests near the best, the best may be an accident."""


class Compared(Struct, frozen=True):
    """The tests of one layer beside one another."""

    usual_gbs: float | None
    """None: there are too few, or they differ too much to say."""
    slow: tuple[LadderResult, ...] = ()
    blamed: tuple[Blamed, ...] = ()
    open: tuple[str, ...] = ()


def compare(results: Sequence[LadderResult], margin: float, own: Mapping[str, float] | None = None) -> Compared:
    """``margin``: a test that gives less than this share below what is usual is slow; ``own``: that of single tests, by
    name, where it is wider. One without a number is slower than all."""
    values = sorted((result.gbs or 0.0 for result in results), reverse=True)
    if len(values) < _FEWEST_TO_COMPARE or values[0] <= 0:
        return Compared(median(values) if values and values[0] > 0 else None)
    fast = [value for value in values if value >= (1 - margin) * values[0]]
    if len(fast) < _FEWEST_FAST * len(values):
        return Compared(None, open=(f"{len(values)} tests differ too much to say what is usual",))
    usual, meanwhile = median(fast), _meanwhile(results)
    margins = own or {}
    slow = tuple(
        result
        for result in results
        if max(result.gbs or 0.0, (result.again_gbs or 0.0) * meanwhile)
        < (1 - max(margin, margins.get(result.test.name, 0.0))) * usual
    )
    if not slow:
        return Compared(median(values))
    blamed, unsettled = _blame(results, slow, usual)
    return Compared(usual, slow, blamed, unsettled)


def _meanwhile(results: Sequence[LadderResult]) -> float:
    """How many times slower the fastest was when it was done again: so much slower everything had become by then."""
    fastest = max(results, key=lambda result: (result.gbs or 0.0, result.test.name))
    return max(1.0, (fastest.gbs or 0.0) / fastest.again_gbs) if fastest.again_gbs else 1.0


def _parts(test: LadderTest) -> tuple[str, ...]:
    """The ends of a test that can be at fault: nodes, or HCAs of nodes."""
    return tuple(f"{node}/{test.hca}" if test.hca else node for node in test.nodes)


def _blame(
    results: Sequence[LadderResult], slow: Sequence[LadderResult], usual: float
) -> tuple[tuple[Blamed, ...], tuple[str, ...]]:
    cleared = {part for result in results if result not in slow for part in _parts(result.test)}
    blamed: dict[str, Blamed] = {}
    unsettled: dict[str, None] = {}
    for result in slow:
        parts = _parts(result.test)
        suspects = [part for part in parts if part not in cleared]
        gbs = result.gbs or 0.0
        if len(suspects) == 1:
            _note(blamed, suspects[0], "hca" if result.test.hca else "node", gbs, usual)
        elif not suspects:
            _note(blamed, " - ".join(parts), "path", gbs, usual)
    for result in slow:
        suspects = [part for part in _parts(result.test) if part not in cleared and part not in blamed]
        if len(suspects) > 1:
            unsettled[f"one of {' and '.join(suspects)}, or the path between them"] = None
    return _whole_nodes(tuple(blamed.values()), results), tuple(unsettled)


def _note(blamed: dict[str, Blamed], name: str, kind: str, gbs: float, usual: float) -> None:
    """The best that a part at fault gives is what it can: with another sick one it gives less."""
    known = blamed.get(name)
    best = max(gbs, known.gbs) if known else gbs
    blamed[name] = Blamed(kind, name, best, usual)  # type: ignore[arg-type]


def _whole_nodes(blamed: tuple[Blamed, ...], results: Sequence[LadderResult]) -> tuple[Blamed, ...]:
    """Where every HCA of a node is blamed it is the node."""
    all_of: dict[str, set[str]] = {}
    for result in results:
        for node, part in zip(result.test.nodes, _parts(result.test), strict=True):
            all_of.setdefault(node, set()).add(part)
    names = {each.name for each in blamed if each.kind == "hca"}
    whole = {node for node, parts in all_of.items() if len(parts) > 1 and parts <= names}
    kept = [each for each in blamed if each.kind != "hca" or each.name.partition("/")[0] not in whole]
    for node in sorted(whole):
        mine = [each for each in blamed if each.name in all_of[node]]
        kept.append(Blamed("node", node, max(each.gbs for each in mine), mine[0].usual_gbs))
    return tuple(sorted(kept, key=lambda each: (each.gbs, each.name)))

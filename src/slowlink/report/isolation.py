"""What a search for slow nodes and paths found, in words."""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.isolation import Open, Verdict
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe

_MOST_OPEN = 6


def isolation_text(verdict: Verdict, nodes: int) -> str:
    """For a terminal: the answer, what proves it, how sure it is, what is open."""
    return "\n".join(map(terminal_safe, _lines(verdict, nodes)))


def isolation_headline(verdict: Verdict, nodes: int) -> str:
    """One line: who, and how many are sound."""
    parts = []
    if verdict.bad:
        names = fold(bad.name for bad in verdict.bad)
        parts.append(f"{len(verdict.bad)} of {nodes} nodes {_is(len(verdict.bad))} slow with whomever: {names}")
    if verdict.paths:
        parts.append(f"{len(verdict.paths)} slow path{'s' if len(verdict.paths) > 1 else ''}")
    if verdict.open:
        parts.append(f"{len(verdict.open)} open question{'s' if len(verdict.open) > 1 else ''}")
    if verdict.doubted and not parts:
        return f"{nodes} nodes: groups differ so much that the median may itself be slow"
    if not parts:
        paths = "" if verdict.untried_pairs or verdict.untried else " and no slow path"
        return f"{nodes} nodes: no slow node{paths} found"
    return "; ".join(parts)


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _lines(verdict: Verdict, nodes: int) -> Iterator[str]:
    word = "HEALTHY" if verdict.is_healthy else "DEGRADED" if verdict.bad or verdict.paths else "INCONCLUSIVE"
    yield f"{word}  {isolation_headline(verdict, nodes)}"
    yield ""
    for bad in verdict.bad:
        died = f", {bad.unfinished} did not finish" if bad.unfinished else ""
        gives = "its groups do not finish" if not bad.share else f"gives {bad.share:.0%} of what is usual"
        yield f"  node   {bad.name}: {gives} ({bad.tests} tests with sound partners or suspects{died})"
    for path in verdict.paths:
        between = {
            "nodes": f"between {' and '.join(path.ends)}, both fast with others",
            "leaves": f"between the leaves {' and '.join(path.ends)}, whose nodes are fast inside",
            "leaf": f"from leaf {path.ends[0]} to most others: its uplinks",
        }[path.kind]
        yield f"  path   {between}: {path.share:.0%} of what is usual ({path.tests} tests)"
    for kind in verdict.doubted:
        yield f"  doubt  many groups of {kind} are far above the median: most may be slow (--usual GB/s)"
    for each in verdict.open[:_MOST_OPEN]:
        yield f"  open   {_open_words(each)}"
    if len(verdict.open) > _MOST_OPEN:
        yield f"  open   and {len(verdict.open) - _MOST_OPEN} more (--format json has all)"
    yield f"  good   {len(verdict.good)} nodes: {fold(verdict.good)}" if verdict.good else "  good   none"
    if verdict.untried:
        yield f"  untried {verdict.untried} pairs of leaves: nothing is known of the paths between them"
    if verdict.untried_pairs:
        yield (
            f"  untried {verdict.untried_pairs} pairs of nodes: the paths between them are not judged "
            "(--leaves FILE says who shares a switch; --every-pair tries all)"
        )
    yield (
        f"  sure   nobody sound is blamed in {verdict.confidence:.1%} of such searches; sound groups differ by "
        f"{verdict.spread:.1%}; a node slower by {verdict.smallest:.1%} is found nine times out of ten"
    )
    yield f"  cost   {verdict.tests} tests in {verdict.rounds} rounds, {verdict.node_tests} times a node"


def _open_words(each: Open) -> str:
    test = "; ".join(" + ".join(group) for group in each.test[:2])
    return f"{fold(each.nodes)}: {each.why}" + (f"; this would settle it: {test}" if test else "")

"""What a search for slow nodes and paths found, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from slowlink.model.isolation import COARSE, BadNode, BadPart, Open, Path, Uneven, Verdict
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe
from slowlink.report.wording import count

_MOST_LINES = 8
_MARGIN = 11
_NEARLY_ALL = 0.98
"""Of its speed: a node that must lose so much to be found may be missed whatever it loses."""


def isolation_text(verdict: Verdict, nodes: int, hcas: Sequence[str] = (), width: int = 100) -> str:
    """For a terminal: the answer, what proves it, how sure it is, what is open. ``hcas``: names by number."""
    lines = map(terminal_safe, _lines(verdict, nodes, hcas))
    return "\n".join(part for line in lines for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    """Behind the words of the margin; a list of nodes is one word, and stays whole."""
    return wrap(line, width, subsequent_indent=" " * _MARGIN, break_long_words=False, break_on_hyphens=False) or [""]


def isolation_headline(verdict: Verdict, nodes: int) -> str:
    """One line: who, and how many are sound."""
    parts = []
    if verdict.bad:
        many = len(verdict.bad)
        whom = "whomever" if all(bad.slow_partners == bad.partners for bad in verdict.bad) else "most partners"
        names = fold(bad.name for bad in verdict.bad)
        parts.append(f"{many} of {nodes} nodes {'is' if many == 1 else 'are'} slow with {whom}: {names}")
    if verdict.paths:
        parts.append(f"{count(len(verdict.paths), 'slow path')}{_first_path(verdict.paths)}")
    if verdict.open:
        parts.append(count(len(verdict.open), "open question"))
    if verdict.uneven and not verdict.bad:
        parts.append(f"{verdict.uneven[0].kind or 'the test'} is uneven all over")
    if verdict.failures:
        tell = "tells" if len(verdict.failures) == 1 else "tell"
        parts.append(f"{count(len(verdict.failures), 'log')} {tell} of a failure: {verdict.failures[0].path}")
    if verdict.unread:
        parts.append(f"{count(len(verdict.unread), 'input')} could not be read: {verdict.unread[0].path}")
    if verdict.absent:
        parts.append(f"no test of {count(len(verdict.absent), 'node')}: {fold(verdict.absent)}")
    if verdict.doubted and not parts:
        return f"{nodes} nodes: groups differ so much that the median may itself be slow"
    if not parts and verdict.smallest > COARSE:
        return f"{nodes} nodes: none is named, and tests differ so much that {_would_be(verdict)}"
    if not parts:
        paths = "" if verdict.untried_pairs or verdict.untried else " and no slow path"
        return f"{nodes} nodes: no slow node{paths} found"
    return "; ".join(parts)


def _found(verdict: Verdict) -> str:
    if verdict.smallest >= _NEARLY_ALL:
        return "no slow node is sure to be found"
    return f"a node slower by {verdict.smallest:.1%} is found nine times out of ten"


def _would_be(verdict: Verdict) -> str:
    if verdict.smallest >= _NEARLY_ALL:
        return "a slow one may not be, however slow"
    return f"only one slower by {verdict.smallest:.1%} or more would be"


def _first_path(paths: Sequence[Path]) -> str:
    return f": {' - '.join(paths[0].ends)}" if len(paths) == 1 else ""


def _lines(verdict: Verdict, nodes: int, hcas: Sequence[str]) -> Iterator[str]:
    word = "HEALTHY" if verdict.is_healthy else "DEGRADED" if verdict.bad or verdict.paths else "INCONCLUSIVE"
    yield f"{word}  {isolation_headline(verdict, nodes)}"
    if verdict.ended_early:
        yield f"  ended    early: {verdict.ended_early}; what it had of that round does not count"
    yield ""
    for bad in verdict.bad:
        yield f"  node     {_node_words(bad)}"
        yield from (f"  part     {_part_words(part, hcas)}" for part in verdict.parts if part.node == bad.name)
    yield from _shortened([f"  path     {_path_words(path)}" for path in verdict.paths], "path")
    for node in verdict.recurs:
        yield f"  recurs   {node.node} is an end of {node.pairs} of the {node.of} slow pairs: look there first"
    for each in verdict.uneven:
        yield f"  uneven   {_uneven_words(each)}"
    for kind in verdict.doubted:
        if kind not in {each.kind for each in verdict.uneven}:
            yield f"  doubt    many groups of {kind} are far above the median: most may be slow (--usual GB/s)"
    yield from _shortened([f"  open     {_open_words(each)}" for each in verdict.open], "open")
    yield from _shortened([f"  failed   {each.path}: {each.why}" for each in verdict.failures], "failed")
    yield from _shortened([f"  unread   {each.path}: {each.problem}" for each in verdict.unread], "unread")
    if verdict.absent:
        yield f"  absent   of {fold(verdict.absent)} no test lies there"
    coarse = ", as far as tests tell that differ so much" if verdict.smallest > COARSE else ""
    yield f"  good     {len(verdict.good)} nodes{coarse}: {fold(verdict.good)}" if verdict.good else "  good     none"
    if verdict.untried:
        yield f"  untried  {count(verdict.untried, 'pair')} of leaves: nothing is known of the paths between them"
    if verdict.untried_pairs:
        yield (
            f"  untried  {count(verdict.untried_pairs, 'pair')} of nodes: the paths between them are not judged "
            "(--leaves FILE says who shares a switch; --every-pair tries all)"
        )
    yield (
        f"  sure     nobody sound is blamed in {verdict.confidence:.1%} of such searches; sound groups differ by "
        f"{verdict.spread:.1%}; {_found(verdict)}"
    )
    rounds = f" in {count(verdict.rounds, 'round')}" if verdict.rounds else ""
    yield f"  cost     {count(verdict.tests, 'test')}{rounds}, {verdict.node_tests} times a node"


def _shortened(lines: Sequence[str], word: str) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"  {word:8} and {len(lines) - _MOST_LINES} more (--format json has all)"


def _node_words(bad: BadNode) -> str:
    slow = bad.tests - bad.unfinished
    if not slow:
        gives = f"{bad.unfinished} of its {bad.tried} tests did not finish"
    else:
        gives = f"gives {bad.share:.0%} of what is usual" if bad.share else "does not finish, or is slow,"
        gives += f" in {bad.tests} of its {bad.tried} tests"
        gives += f", {bad.unfinished} of which did not finish" if bad.unfinished else ""
    whom = f", with {bad.slow_partners} of {count(bad.partners, 'partner')}"
    kind = f"; this in {bad.kind}" if bad.kind else ""
    fine = f", and as fast as others in {'; '.join(bad.fine_in[:3])}: only a part of it" if bad.fine_in else ""
    return f"{bad.name}: {gives}{whom}{kind}{fine}"


def _part_words(part: BadPart, hcas: Sequence[str]) -> str:
    number = part.number
    hca = f"HCA {number}" if number is None or not hcas else hcas[number]
    gives = "does not finish" if not part.share else f"gives {part.share:.0%} of what is usual"
    words = {
        "gpu": f"GPU {number} {gives} over its own HCA and over another; {hca} is fast with another GPU",
        "hca": f"{hca} {gives} with its own GPU and with another; GPU {number} is fast over another HCA",
        "rail": f"GPU {number} or its HCA {gives} alone"
        + ("" if hcas else "; --hcas NAMES lets another test tell which"),
        "between": f"GPU {number} over {hca} {gives}, but each of them is fast with another: what lies between them, "
        "their partner in that test, or a moment",
        "all": f"every GPU and HCA {gives} alone: no part, but the node (GPUDirect RDMA, processors, what else runs)",
        "together": "each GPU and HCA is fast alone: only all together are slow (PCIe, memory, links between GPUs)",
        "untested": "not tested: fewer than two sound nodes to compare with",
    }
    return f"{part.node}: {words[part.kind]}"


def _path_words(path: Path) -> str:
    between = {
        "nodes": f"between {' and '.join(path.ends)}, both fast with others",
        "leaves": f"between the leaves {' and '.join(path.ends)}, whose nodes are fast inside",
        "leaf": f"from leaf {path.ends[0]} to most others: its uplinks",
    }[path.kind]
    gives = f"{path.share:.0%} of what is usual" if path.share else "does not finish"
    return f"{between}: {gives} ({count(path.tests, 'test')})"


def _uneven_words(each: Uneven) -> str:
    return (
        f"{each.kind or 'the test'}: {each.slow} of {each.tests} tests of sound nodes were slow (half of them below "
        f"{each.share:.0%} of what is usual), with {each.nodes} nodes in them: no node and no pair explains it, but "
        "moments, or what all share; the same tests again would tell"
    )


def _open_words(each: Open) -> str:
    test = "; ".join(" + ".join(group) for group in each.test[:2])
    return f"{fold(each.nodes)}: {each.why}" + (f"; this would settle it: {test}" if test else "")

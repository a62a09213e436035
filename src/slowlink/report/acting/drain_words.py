"""What ``slowlink act`` prints of nodes that are taken out of use and given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slowlink.model.acting import DrainedNode, DrainPlan
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe

_MOST_GROUPS = 40
_STATES = {
    "drained": "{word}",
    "given-back": "given back",
    "left-alone": "left alone",
    "failed": "not {word}",
    "unknown": "no answer, so perhaps {word}",
    "planned": "not begun",
}


def plan_text(plan: DrainPlan, title: str, word: str) -> str:
    """What would be done, and what not."""
    lines = [f"to be {word} in {title}: {_count(len(plan.drains))} of {plan.total}"]
    lines += _grouped((each.node, each.reason) for each in plan.drains)
    if plan.left:
        lines += ["left as they are", *_grouped((each.node, each.why) for each in plan.left)]
    if plan.too_many:
        lines.append(too_many_words(plan))
    return _safe(lines)


def too_many_words(plan: DrainPlan) -> str:
    """Why nothing is done, and what to say if it is meant."""
    out = len(plan.drains) + plan.standing
    before = f", with {plan.standing} that slowlink took out before," if plan.standing else ""
    limit = f"would be more than {plan.most} of {plan.total}"
    return f"{_count(out)}{before} {limit}: none is touched (--most {out} allows it)"


def done_text(touched: Iterable[DrainedNode], word: str) -> str:
    """What became of each node."""
    states: dict[str, list[tuple[str, str]]] = {}
    for each in touched:
        shown = each.why or (each.reason if each.state == "drained" else "")
        states.setdefault(each.state, []).append((each.node, shown))
    lines: list[str] = []
    for state, told in _STATES.items():
        if state in states:
            lines += [told.format(word=word), *_grouped(states[state])]
    return _safe(lines)


def foreseen_text(foreseen: Iterable[tuple[str, str, str]]) -> str:
    """(node, what would be done with it, why)."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for node, fate, why in foreseen:
        groups.setdefault(fate, []).append((node, why))
    told = (("give-back", "to be given back"), ("in-use", "in use"), ("leave", "left alone"))
    lines: list[str] = []
    for fate, words in told:
        if fate in groups:
            lines += [words, *_grouped(groups[fate])]
    return _safe(lines)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for node, words in pairs:
        groups.setdefault(words, []).append(node)
    for words, nodes in [*groups.items()][:_MOST_GROUPS]:
        yield f"  {fold(nodes)}{f': {words}' if words else ''}"
    if (more := sum(map(len, [*groups.values()][_MOST_GROUPS:]))) > 0:
        yield f"  and {_count(more)} more"


def _count(nodes: int) -> str:
    return f"{nodes} node{'' if nodes == 1 else 's'}"


def _safe(lines: Iterable[str]) -> str:
    return "".join(f"{terminal_safe(line)}\n" for line in lines)

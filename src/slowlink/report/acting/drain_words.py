"""What ``slowlink act`` prints of nodes that are taken out of use and given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from slowlink.model.acting import DrainedNode, DrainPlan
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe

_MOST_GROUPS = 40
_TAKEN_OUT = {
    "drained": "{word}",
    "left-alone": "left alone",
    "failed": "not {word}",
    "unknown": "no answer, so perhaps {word}",
    "planned": "not begun",
}
_GIVEN_BACK = {
    "given-back": "given back",
    "left-alone": "left alone",
    "drained": "not given back",
    "unknown": "no answer, so perhaps not given back",
}


def plan_text(plan: DrainPlan, title: str, word: str) -> str:
    """What would be done, and what not."""
    lines = [f"to be {word} in {title}: {_count(len(plan.drains))} of {plan.total}"]
    lines += _grouped((each.node, each.reason) for each in plan.drains)
    if plan.left:
        lines += ["left as they are", *_grouped((each.node, each.why) for each in plan.left)]
    if plan.too_many:
        lines.append(_too_many(plan))
    return _safe(lines)


def _too_many(plan: DrainPlan) -> str:
    """Why nothing is done, and what to say if it is meant."""
    out = len(plan.drains) + plan.standing
    before = f", with {plan.standing} that slowlink took out before," if plan.standing else ""
    limit = f"would be more than {plan.most} of {plan.total}"
    return f"{_count(out)}{before} {limit}: none is touched (--most {out} allows it)"


def taken_out_text(touched: Iterable[DrainedNode], word: str) -> str:
    """What became of each node that was to be taken out. ``word``: ``drained``."""
    told = ((each.state, each.node, each.why or (each.reason if each.state == "drained" else "")) for each in touched)
    return _below_heads(told, {state: words.format(word=word) for state, words in _TAKEN_OUT.items()})


def given_back_text(touched: Iterable[DrainedNode]) -> str:
    """What became of each node that was to be given back."""
    return _below_heads(((each.state, each.node, each.why) for each in touched), _GIVEN_BACK)


def foreseen_text(foreseen: Iterable[tuple[str, str, str]]) -> str:
    """(what would be done, with which node, why)."""
    return _below_heads(foreseen, {"give-back": "to be given back", "in-use": "in use", "leave": "left alone"})


def _below_heads(told: Iterable[tuple[str, str, str]], heads: Mapping[str, str]) -> str:
    """(state, node, words), by the head of the state."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for state, node, words in told:
        groups.setdefault(state, []).append((node, words))
    lines: list[str] = []
    for state, head in heads.items():
        if state in groups:
            lines += [head, *_grouped(groups[state])]
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

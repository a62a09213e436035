"""Nodes that were asked for their state did not answer, or only in part.

``slowlink snapshot`` and ``slowlink analyze --nodes`` ask every node once, within a time limit, and record how that
ended: no route, a refused login, no answer in time, a connection that was lost.

Why it matters: unknown is not healthy. The node that does not answer is often the one that you look for.
How to confirm: log in by hand; ``slowlink nodes --check`` tells ssh, paths and versions apart.
What to do: repair the way to the node or take it out of the set, then ask again.
When it is wrong: a busy node may need longer than the limit; ``--timeout`` gives it more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from slowlink.facts.tools import CUT_OFF, NO_TIME, NODE, asked_nodes
from slowlink.model.facts import State
from slowlink.model.report import Finding
from slowlink.model.state import Collected
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import listed

CAUSES = ("nodes-unanswered",)


def check(state: State) -> Iterator[Finding]:
    """One finding for all nodes without an answer, with the reasons, and one for those that answered in part."""
    lost = [each for each in state.collected if each.collector == NODE and each.outcome == "failed"]
    if lost:
        yield _unanswered(lost, len(asked_nodes(state)))
    yield from _in_part(state, {each.host for each in lost})


def _unanswered(lost: Sequence[Collected], asked: int) -> Finding:
    by_reason: dict[str, list[Collected]] = {}
    for each in lost:
        by_reason.setdefault(each.detail or "no answer", []).append(each)
    reasons = "; ".join(
        f"{fold(dict.fromkeys(e.host or '' for e in group))}: {why}" for why, group in by_reason.items()
    )
    count = len({each.host for each in lost})
    share = f"{count} of {asked} nodes did not answer: " if asked > 1 else ""
    return _finding(
        lost, f"{share}{reasons}; what {'that node does' if count == 1 else f'these {count} nodes do'} is unknown"
    )


def _in_part(state: State, lost: Set[str | None]) -> Iterator[Finding]:
    """Questions for which no time was left, and transcripts that break off."""
    unasked: dict[tuple[str, str], list[Collected]] = {}
    for each in state.collected:
        if each.host not in lost and each.detail in (NO_TIME, CUT_OFF):
            unasked.setdefault((each.detail, each.collector), []).append(each)
    by_nodes: dict[tuple[str, str], list[Collected]] = {}
    for (why, _), group in unasked.items():
        by_nodes.setdefault((why, fold(dict.fromkeys(each.host or "" for each in group))), []).extend(group)
    for (why, nodes), group in by_nodes.items():
        names = listed(list(dict.fromkeys(each.collector for each in group)))
        yield _finding(group, f"{nodes}: {why}: {names} told nothing, or not all")


def _finding(unknown: Sequence[Collected], message: str) -> Finding:
    return finding(
        "nodes-unanswered",
        message,
        severity="warning",
        confidence="certain",
        suspects=suspects("node", (each.host for each in unknown)),
        evidence=lines_evidence(each.ref for each in unknown),
        remedy=[
            ("Log in by hand, and see what the way there lacks.", "slowlink nodes --nodes ... --check"),
            ("Give a busy node more time: the same command with --timeout 600.", ""),
        ],
    )

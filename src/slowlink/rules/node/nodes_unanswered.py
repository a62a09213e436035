"""Nodes that were asked for their state did not answer, or only in part.

``slowlink snapshot`` asks every node once, within a time limit, and records how that ended: no route, a refused login,
no answer in time, a connection that was lost.

Why it matters: unknown is not healthy. The node that does not answer is often the one that you look for.
How to confirm: log in by hand; ``slowlink nodes --check`` tells ssh, paths and versions apart.
What to do: repair the way to the node or take it out of the set, then ask again.
When it is wrong: a busy node may need longer than the limit; ``slowlink snapshot --timeout`` gives it more.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import State
from slowlink.model.report import Finding
from slowlink.model.state import Collected
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects

CAUSES = ("nodes-unanswered",)

_NODE = "node"
"""The name under which a transcript records how the node itself answered, not one of its collectors."""


def check(state: State) -> Iterator[Finding]:
    """One finding for all of them, with the reasons."""
    lost = [each for each in state.collected if each.collector == _NODE and each.outcome == "failed"]
    if not lost:
        return
    by_reason: dict[str, list[Collected]] = {}
    for each in lost:
        by_reason.setdefault(each.detail or "no answer", []).append(each)
    reasons = "; ".join(
        f"{fold(dict.fromkeys(e.host or '' for e in group))}: {why}" for why, group in by_reason.items()
    )
    count = len({each.host for each in lost})
    yield finding(
        "nodes-unanswered",
        f"{reasons}; what {'that node does' if count == 1 else f'these {count} nodes do'} is unknown",
        severity="warning",
        confidence="certain",
        suspects=suspects("node", (each.host for each in lost)),
        evidence=lines_evidence(each.ref for each in lost),
        remedy=[
            ("Log in by hand, and see what the way there lacks.", "slowlink nodes --nodes ... --check"),
            ("Give a busy node more time.", "slowlink snapshot --timeout 300"),
        ],
    )

"""What was asked of the nodes and did not give an answer, folded: ``{"not_collected": [...]}``."""

from __future__ import annotations

from slowlink.model.facts import State
from slowlink.nodes import fold

_NOT = ("skipped", "failed", "timeout")
_PROMPT = "prompt"


def summarise(state: State) -> dict[str, object]:
    """Each collector with its outcome, the reason, and the nodes that share both, as ``node[1-5,7]``; and the nodes
    that were asked. Nothing where no transcript tells."""
    asked = [each for each in state.collected if each.collector != _PROMPT]
    if not asked:
        return {}
    groups: dict[tuple[str, str, str], dict[str, None]] = {}
    for each in asked:
        if each.outcome in _NOT:
            groups.setdefault((each.collector, each.outcome, each.detail), {})[each.host or ""] = None
    return {
        "nodes_asked": fold(dict.fromkeys(each.host or "" for each in asked)),
        "not_collected": [
            {"collector": collector, "outcome": outcome, "why": why, "nodes": fold(nodes)}
            for (collector, outcome, why), nodes in sorted(groups.items())
        ],
    }

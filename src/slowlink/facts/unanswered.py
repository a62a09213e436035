"""Nodes without an answer belong into the first sentence: they are unknown, whatever the others show."""

from __future__ import annotations

from slowlink.facts.tools import asked_nodes, lost_nodes
from slowlink.model.facts import State
from slowlink.nodes import fold


def with_unanswered(headline: str, state: State | None) -> str:
    """``headline`` with the share of the nodes that did not answer; first where it is half of them or more.

    A headline that tells it already stays as it is.
    """
    lost = lost_nodes(state) if state is not None else ()
    if state is None or not lost or "did not answer" in headline:
        return headline
    asked = len(asked_nodes(state))
    said = f"{len(lost)} of {asked} nodes did not answer ({fold(lost)})"
    return f"{said}; of the others: {headline}" if 2 * len(lost) >= asked else f"{headline}; {said}"

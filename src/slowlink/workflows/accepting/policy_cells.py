"""How each node stands to the site's policy, by the one review that the rule ``policy-not-met`` reads, too."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.acceptance import Cell
from slowlink.model.policy import PolicyReview
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.limits import Limits
from slowlink.workflows.accepting.names import NodeNames


class PolicyCells:
    """Of all nodes; of several reviews (of a heap's jobs) one that knows the node."""

    def __init__(self, reviews: Sequence[PolicyReview], names: NodeNames, limits: Limits, policy: str) -> None:
        self._limits, self._policy = limits, policy
        self._points = len(reviews[0].policy.expected) if reviews else 0
        self._amiss: dict[str, int] = {}
        self._unknown: dict[str, int] = {}
        self._held: set[str] = set()
        for review in reviews:
            self._held.update(filter(None, map(names.meant, review.nodes)))
            for told, counts in (
                ([each.nodes for each in review.deviations], self._amiss),
                ([each.nodes for each in review.unknown], self._unknown),
            ):
                for node in filter(None, (names.meant(host) for nodes in told for host in nodes)):
                    counts[node] = counts.get(node, 0) + 1

    def cell(self, node: str) -> Cell:
        limit = self._limits.place(f"all {self._points} points", f"{self._policy}; rule policy-not-met")
        if node not in self._held:
            return Cell(of.POLICY, "not-measured", limit=limit, why="nothing tells its state")
        if amiss := self._amiss.get(node, 0):
            # Whether it weighs enough to refuse it, the rule says: its finding fails the cell.
            return Cell(of.POLICY, "open", str(amiss), "points not met", limit, ("policy-not-met",), "see the remarks")
        if unknown := self._unknown.get(node, 0):
            why = f"{unknown} points could not be checked"
            return Cell(of.POLICY, "open", str(unknown), "points unknown", limit, ("policy-unchecked",), why)
        return Cell(of.POLICY, "pass", str(self._points), "points met", limit)

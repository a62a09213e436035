"""Pairs of nodes that failed a survey, and the node that recurs in them.

The summary of a survey script lists the pairs whose test failed or never finished. A node that is in more than 30 % of
three or more of them is suspected; pairs that share no node point to paths or to moments.

Why it matters: each failed pair has two suspects; counting how often a node recurs clears most of them.
How to confirm: test the recurring node with two more partners, and its partners with one another.
What to do: take the recurring node out; look at the logs of its failed tests for the first error.
When it is wrong: a node that was tested more often than others also fails more often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Observations
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.measured.remedies import TEST_PAIRS_AGAIN

CAUSES = ("straggler-node", "slow-path")


class Params(Struct, frozen=True):
    """When a node recurs in the pairs that failed."""

    fewest_pairs: int = 3
    """Failed pairs; in fewer, a node that comes twice may be chance."""
    recurs: float = 0.3
    """Share of the failed pairs that a suspected node exceeds; two ends that chance picks from many nodes rarely do."""


def check(observations: Observations, params: Params) -> Iterator[Finding]:
    """One finding: the recurring node, or the pairs."""
    failed = [o for o in observations.all if o.kind == "failed-pair"]
    if not failed:
        return
    counts = Counter(node for o in failed for node in (o.subject, o.value))
    node, count = counts.most_common(1)[0]
    if len(failed) >= params.fewest_pairs and count > params.recurs * len(failed):
        yield _recurring_node(node, count, failed)
    else:
        yield _unrelated_pairs(failed)


def _recurring_node(node: str, count: int, failed: list[Observation]) -> Finding:
    mine = [o for o in failed if node in (o.subject, o.value)]
    return finding(
        "straggler-node",
        f"{node} is in {count} of the {len(failed)} pairs that failed",
        severity="error",
        confidence="possible",
        suspects=suspects("node", [node]),
        evidence=lines_evidence((o.ref for o in mine), 4),
        explains=["slow-path", "rank-lost"],
        remedy=[("Test the node with two other partners, and its partners with one another.", "")],
    )


def _unrelated_pairs(failed: list[Observation]) -> Finding:
    names = ", ".join(f"{o.subject} - {o.value}" for o in failed[:6])
    return finding(
        "slow-path",
        f"{len(failed)} pairs of nodes failed ({names}), and no node recurs in most of them",
        severity="error",
        confidence="possible",
        suspects=suspects("link", [f"{o.subject} - {o.value}" for o in failed]),
        evidence=lines_evidence((o.ref for o in failed), 4),
        remedy=[TEST_PAIRS_AGAIN],
    )

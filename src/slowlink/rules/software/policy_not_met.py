"""A node is not what the site's policy says it must be.

A policy (``slowlink policy from NODE``) is the state of a node that is right: driver, firmware, kernel, settings, and
how many GPUs, ports and links there are. Every node is held against it, so a fleet that is wrong alike is found, too.

Why it matters: nodes that are compared with one another show who is odd; when an update went wrong everywhere, nobody
is.
How to confirm: the lines show what the node has; the policy's file says what it must have.
What to do: set the node as the policy says, or change the policy where it is out of date.
When it is wrong: the policy was written from a node of another kind, or before a planned change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.policy import in_policy_words
from slowlink.model.policy import COUNT, Deviation, Expected, PolicyReview, Unknown
from slowlink.model.report import Finding, Severity
from slowlink.nodes import fold
from slowlink.parting import parted
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("policy-not-met", "policy-unchecked")
_TOLD = 3
"""Deviations in a sentence; the others are counted."""


class Params(Struct, frozen=True):
    """How a deviation weighs."""

    error_from: int = 2
    """``matters`` of the attribute in its catalogue, 0 to 3: from here on a deviation is an error, below a warning."""


def check(policy: PolicyReview, params: Params) -> Iterator[Finding | Proof]:
    """One finding for what costs or breaks jobs, one for the rest, one for what nobody knows; or that all holds."""
    wrong, lesser = parted(policy.deviations, lambda each: _matters(each.expected) >= params.error_from)
    if wrong:
        yield _finding(policy, wrong, "error")
    if lesser:
        yield _finding(policy, lesser, "warning")
    if policy.unknown:
        yield _unchecked(policy, policy.unknown)
    elif not policy.deviations:
        points = "its only point" if policy.met == 1 else f"all {policy.met} points"
        yield Proof(f"{fold(policy.nodes)}: as the policy says in {points} ({policy.policy.path})")


def _matters(expected: Expected) -> int:
    return 3 if expected.attribute == COUNT else attribute(expected.attribute).matters


def _finding(policy: PolicyReview, wrong: Sequence[Deviation], severity: Severity) -> Finding:
    nodes = dict.fromkeys(node for each in wrong for node in each.nodes)
    # A fleet that is wrong alike is what nothing else finds: what most nodes share is told first.
    first = sorted(wrong, key=lambda each: (-len(each.nodes), -_matters(each.expected)))
    more = f"; and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
    return finding(
        "policy-not-met",
        _sentences(first[:_TOLD]) + more,
        severity=severity,
        confidence="certain",
        evidence=[
            line
            for each in first[:_TOLD]
            for line in reading_evidence(each.readings, expected=in_policy_words(each.expected), most=2)
        ],
        suspects=suspects("node", nodes),
        remedy=[(f"Set them as the policy says, or change it where it is out of date: {policy.policy.path}", "")],
    )


def _sentences(told: Sequence[Deviation]) -> str:
    """``node[07,12]: gpu [0-7]: power limit 500, not 700``; nodes of which several things are told are named once."""
    of_nodes: dict[tuple[str, ...], list[str]] = {}
    for each in told:
        parts = f"{each.expected.kind} {fold(each.parts)}: " if each.parts else ""
        words = f"{parts}{_title(each.expected)} {each.value}, not {in_policy_words(each.expected)}"
        of_nodes.setdefault(each.nodes, []).append(words)
    return "; ".join(f"{fold(nodes)}: {'; '.join(words)}" for nodes, words in of_nodes.items())


def _title(expected: Expected) -> str:
    return f"number of {expected.kind} parts" if expected.attribute == COUNT else attribute(expected.attribute).title


def _unchecked(policy: PolicyReview, unknown: Sequence[Unknown]) -> Finding:
    nodes = dict.fromkeys(node for each in unknown for node in each.nodes)
    what = "; ".join(f"{_title(each.expected)}{_asked(each.expected)}" for each in unknown[:_TOLD])
    more = f"; and {len(unknown) - _TOLD} more" if len(unknown) > _TOLD else ""
    return finding(
        "policy-unchecked",
        f"{fold(nodes)}: {len(unknown)} of {len(policy.policy.expected)} points of the policy could not be checked: "
        f"{what}{more}",
        severity="warning",
        confidence="certain",
        suspects=suspects("node", nodes),
        remedy=[("Ask as root, where a tool says more to it; or take what cannot be read here out of the policy.", "")],
    )


def _asked(expected: Expected) -> str:
    return "" if expected.attribute == COUNT else f" ({attribute(expected.attribute).asked})"

"""Nodes differ in what all should share, and nobody can say which of them is right.

Of two nodes neither is the odd one. Each source without a node's name is compared as one node; whether two of them are
two nodes, or one at two times, nobody says. So what differs is a doubt and no fault: a rate or an MTU, a driver,
firmware, a setting, a type of link.

Why it matters: nodes of a cluster are built alike, and a collective goes at the pace of the one that is not. Parts that
are sound by themselves are no health where they are not alike.
How to confirm: say which node each source is of (the file's name, a prompt, ``slowlink snapshot``) and read again.
What to do: set the odd node like the others; or measure: a bandwidth inside its band settles it.
When it is wrong: the sources are of one node before and after a change, or of two clusters.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.differences import ABSENT, minority
from slowlink.model.facts import Camp, Differences, NodeDifference, State
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("sources-differ",)


class Params(Struct, frozen=True):
    """Which differences are a doubt."""

    least_matters: int = 1
    """``matters`` of the attribute in its catalogue, 0 to 3: what is no noise nodes of one cluster share."""
    least_between_named: int = 2
    """The same for nodes with names: from 2 on a difference may cost bandwidth."""


def check(differences: Differences, state: State, params: Params) -> Iterator[Finding]:
    """One finding for all attributes in which a source without a name, or one of two nodes, differs."""
    doubted = [each for each in differences.all if _is_doubt(each, state, params)]
    if doubted:
        unnamed = any(node in state.unnamed for each in doubted for camp in each.camps for node in camp.nodes)
        yield _finding(doubted, "sources that name no node" if unnamed else "nodes")


def _is_doubt(difference: NodeDifference, state: State, params: Params) -> bool:
    """A part that one source does not show may have been left out there; values that differ were shown. What stands
    beside a node's own output in one source is not another node's."""
    told = [camp for camp in difference.camps if camp.value != ABSENT]
    matters = attribute(difference.attribute).matters
    if len(told) < 2 or matters < params.least_matters:
        return False
    nameless = [camp for camp in told if not state.unnamed.isdisjoint(camp.nodes)]
    if not nameless:
        return matters >= params.least_between_named and not minority(difference)
    first = _sources(nameless[0])
    return len(nameless) > 1 or any(first.isdisjoint(_sources(camp)) for camp in told if camp is not nameless[0])


def _sources(camp: Camp) -> set[str]:
    return {reading.ref.source for reading in camp.readings}


def _finding(doubted: list[NodeDifference], who: str) -> Finding:
    return finding(
        "sources-differ",
        f"{who} differ: {listed([_sentence(each) for each in doubted], 3)}",
        severity="warning",
        confidence="certain",
        evidence=[
            line for each in doubted[:3] for camp in each.camps for line in reading_evidence(camp.readings, most=1)
        ],
        remedy=[("Say which is right, or measure; sound parts that differ are no health.", "")],
    )


def _sentence(difference: NodeDifference) -> str:
    """``port mlx5_0/1: rate: 400 in a.txt, 200 in b.txt``."""
    entry = attribute(difference.attribute)
    parts = f"{entry.part} {fold(difference.parts)} " if difference.parts != ("",) else ""
    values = ", ".join(f"{camp.value} in {listed(list(camp.nodes), 2)}" for camp in difference.camps)
    return f"{parts}{entry.title}: {values}"

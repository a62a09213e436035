"""Nodes run different drivers, firmware or kernels.

What every node says of its versions is compared over all nodes; those that differ from most are named.

Why it matters: a node that was missed in an update is the one that behaves differently: another driver changes
peer-to-peer transfers and NVLink, other firmware changes congestion control, another kernel may lack what GPUDirect
RDMA needs.
How to confirm: the same command on two nodes that differ (the lines below the finding are from both).
What to do: bring the odd nodes to the version of the others, or take them out of the job.
When it is wrong: during a rolling update every cluster is divided; a newer version on a few nodes may be a trial.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.differences import minority
from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Differences, NodeDifference
from slowlink.model.report import Evidence, Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("version-mismatch",)


class Params(Struct, frozen=True):
    """Which versions are a finding; the others only stand in the table of differences."""

    least_matters: int = 2
    """``matters`` of the attribute in its catalogue, 0 to 3: from 2 on a difference may cost bandwidth."""


def check(differences: Differences, params: Params) -> Iterator[Finding]:
    """One finding for each version that matters and is not the same everywhere."""
    for difference in differences.all:
        entry = attribute(difference.attribute)
        if entry.kind == "version" and entry.matters >= params.least_matters:
            yield _finding(difference)


def _finding(difference: NodeDifference) -> Finding:
    entry = attribute(difference.attribute)
    most, *others = difference.camps
    parts = f"{entry.part} {fold(difference.parts)}: " if difference.parts != ("",) else ""
    odd = minority(difference)
    said = ", ".join(f"{camp.value} on {fold(camp.nodes)}" for camp in others)
    evidence: tuple[Evidence, ...] = tuple(
        line
        for camp in (*others, most)
        for line in reading_evidence(camp.readings[:2], expected=most.value if odd else "", most=2)
    )
    return finding(
        "version-mismatch",
        f"{parts}{entry.title} differs: {said}, while {_rest(len(most.nodes))} {most.value}",
        severity="warning",
        confidence="certain",
        evidence=evidence[:6],
        suspects=suspects("node", nodes_of(r for camp in odd or difference.camps for r in camp.readings)),
        remedy=[("Bring the odd nodes to the version of the others, or take them out of the job.", "")],
    )


def _rest(count: int) -> str:
    return "the other one has" if count == 1 else f"{count} others have"

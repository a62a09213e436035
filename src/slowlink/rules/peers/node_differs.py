"""A node is set up differently from its peers.

Settings, devices, states and topology of all nodes are compared. The table of differences shows every one; this finding
names the nodes that are in a minority. Versions have a rule of their own (versions-differ).

Why it matters: nodes of a cluster are built alike. What only the slow node has is the first suspect.
How to confirm: run the same collective without these nodes; the bandwidth rises if the difference matters.
What to do: set the odd nodes like the others (``slowlink prepare`` does it for settings that it knows).
When it is wrong: nodes of two kinds in one cluster may well differ; then analyze each kind apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.facts.differences import ABSENT, minority
from slowlink.facts.readings import nodes_of
from slowlink.model.facts import Differences, NodeDifference
from slowlink.model.report import Finding, Severity
from slowlink.nodes import fold
from slowlink.parting import parted
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("node-differs",)
DENIES = ("node-differs", "hca-missing", "gpu-missing")


class Params(Struct, frozen=True):
    """Which differences are a finding; the others only stand in the table of differences."""

    least_matters: int = 2
    """``matters`` of the attribute in its catalogue, 0 to 3: from 2 on a difference may cost bandwidth."""
    wrong_from: int = 3
    """A setting that matters so much is wrong on the odd nodes: with another type of link, MIG or limit, jobs fail."""
    fewest_nodes: int = 3
    """Nodes that were compared; of two that differ, neither is the odd one."""


def check(differences: Differences, params: Params) -> Iterator[Finding | Proof]:
    """One finding for all that matters, or the proof that the nodes are alike."""
    mattering = [d for d in differences.all if attribute(d.attribute).matters >= params.least_matters]
    if not mattering:
        yield from _alike(differences)
        return
    odd = [d for d in mattering if minority(d) and attribute(d.attribute).kind != "version"]
    if odd and len(differences.compared) >= params.fewest_nodes:
        wrong, rest = parted(odd, lambda difference: _is_wrong(difference, params))
        if wrong:
            yield _finding(wrong, "error")
        if rest:
            yield _finding(rest, "info")


def _is_wrong(difference: NodeDifference, params: Params) -> bool:
    """A setting that has one value on most nodes; states and shapes of such weight have rules of their own."""
    entry = attribute(difference.attribute)
    told = all(camp.value != ABSENT for camp in difference.camps)
    return told and entry.kind == "setting" and entry.matters >= params.wrong_from


def _alike(differences: Differences) -> Iterator[Proof]:
    """Counts the nodes that answered all that their peers did. Weight 0: nodes that are alike may all be wrong."""
    known = len(differences.compared) - len(differences.partly)
    if known > 1:
        rest = f"; not all is known of {fold(differences.partly)}" if differences.partly else ""
        yield Proof(f"{known} nodes are alike in all that was compared{rest}", weight=0)


def _finding(odd: list[NodeDifference], severity: Severity) -> Finding:
    more = f"; and {len(odd) - 3} more differences" if len(odd) > 3 else ""
    return finding(
        "node-differs",
        "; ".join(_sentence(difference) for difference in odd[:3]) + more,
        severity=severity,
        confidence="certain",
        evidence=[
            line
            for d in odd[:3]
            for line in reading_evidence(minority(d)[0].readings, expected=d.camps[0].value, most=2)
        ],
        suspects=suspects("node", nodes_of(r for d in odd for camp in minority(d) for r in camp.readings)),
        remedy=[("Set the odd nodes like the others, or measure without them.", "")],
    )


def _sentence(difference: NodeDifference) -> str:
    """``gpu [0-7]: persistence mode: 14 of 16 nodes say on, node[07,12] say off``."""
    entry = attribute(difference.attribute)
    most, *_ = difference.camps
    nodes = sum(len(camp.nodes) for camp in difference.camps)
    parts = f"{entry.part} {fold(difference.parts)}: " if difference.parts != ("",) else ""
    few = "; ".join(
        f"{fold(camp.nodes)} {'says' if len(camp.nodes) == 1 else 'say'} {camp.value}" for camp in minority(difference)
    )
    return f"{parts}{entry.title}: {len(most.nodes)} of {nodes} nodes say {most.value}, {few}"

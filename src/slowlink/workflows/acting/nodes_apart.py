"""The nodes of a report apart: those that should not be used, those that are good, and those that it leaves open.

Unknown is not good: a node is only where it answered, where something of it was shown to be right, and where nothing
that was found names it, whatever its severity and whatever explains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from slowlink import exits
from slowlink.catalog.attributes import all_attributes
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.acting import AccusedNode, NodesApart, OpenNode
from slowlink.model.report import Claim, Diagnosis, Report
from slowlink.workflows.acting.accusing import most_accused
from slowlink.workflows.acting.doubts import Doubts
from slowlink.workflows.acting.known_nodes import KnownNodes

_DEVICES = ("gpu", "hca", "port")
_NOT_LOOKED_AT = "nothing was read of its GPUs or HCAs, and it measured nothing"


def nodes_apart(report: Report, fail_on: str) -> NodesApart:
    """``fail_on``: the least severity for which a node should not be used."""
    known = KnownNodes(report)
    failing = [each for each in report.diagnoses if exits.fails(each.severity, fail_on)]
    accused: dict[str, list[Diagnosis]] = {}
    unplaced = []
    for diagnosis in failing:
        named = known.named(diagnosis)
        if not 0 < len(named) <= most_accused(diagnosis):
            unplaced.append(diagnosis)
            continue
        for node in named:
            accused.setdefault(node, []).append(diagnosis)
    good, left = _others(report, known, accused, unplaced)
    found = (AccusedNode(node, tuple(diagnoses)) for node, diagnoses in accused.items())
    return NodesApart(tuple(found), tuple(good), tuple(left), tuple(unplaced))


def _others(
    report: Report, known: KnownNodes, accused: Mapping[str, object], unplaced: Sequence[Diagnosis]
) -> tuple[list[str], list[OpenNode]]:
    """Those that nothing accuses: good, and open."""
    told = _told_of(report, known)
    doubts = Doubts(report, known, [each for each in unplaced if not known.named(each)])
    looked_at = _looked_at(report, known)
    good: list[str] = []
    left: list[OpenNode] = []
    for node in known.all:
        if node in accused:
            continue
        if why := told.get(node) or doubts.of(node) or ("" if node in looked_at else _NOT_LOOKED_AT):
            left.append(OpenNode(node, why))
        else:
            good.append(node)
    return good, left


def _told_of(report: Report, known: KnownNodes) -> dict[str, str]:
    """Node -> what speaks against it: of everything from a warning on, also of what another cause explains."""
    claims: Iterable[Claim] = (*report.diagnoses, *report.findings)
    told: dict[str, str] = {}
    for claim in claims:
        if exits.fails(claim.severity, "warning"):
            for node in known.named(claim):
                told.setdefault(node, f"{claim.cause}: {claim.message}")
    return told


def _looked_at(report: Report, known: KnownNodes) -> set[str]:
    """Nodes of which a device was read, or that measured a whole table."""
    measured = {host for sweep in report.sweeps if sweep.complete for host in sweep.hosts}
    every = (report.facts, *(job.facts for job in report.jobs))
    return measured.union(*map(known.members, {nodes for facts in every for nodes in _device_nodes(facts)}))


def _device_nodes(facts: Mapping[str, object]) -> Iterator[str]:
    """Node sets, folded."""
    state = facts.get(NODE_STATE)
    known = all_attributes()
    for name, entries in state.items() if isinstance(state, Mapping) else ():
        if name in known and known[name].part in _DEVICES and isinstance(entries, (list, tuple)):
            yield from (str(each.get("nodes", "")) for each in entries if isinstance(each, Mapping))

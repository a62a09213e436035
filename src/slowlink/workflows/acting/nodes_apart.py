"""The nodes of a report apart: those that should not be used, those that are good, and those that it leaves open.

Unknown is not good: a node is only where it answered, where something of it was shown to be right, and where nothing
that was found names it, whatever its severity and whatever explains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from slowlink import exits
from slowlink.catalog.attributes import all_attributes
from slowlink.comparison.unread import what_was_not_read
from slowlink.errors import SlowlinkError
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.acting import AccusedNode, NodesApart, OpenNode
from slowlink.model.report import Claim, Diagnosis, Report
from slowlink.nodes import expand
from slowlink.report.key_facts import proofs

_MOST_NODES = 100_000
_LOST = ("rank-lost", "rank-stuck")
"""Of the application, and yet where one node alone is named it may be the node's."""
_DEVICES = ("gpu", "hca", "port")
_OF_THE_FABRIC = ("port", "switch", "link")
_NOT_LOOKED_AT = "nothing was read of its GPUs or HCAs, and it measured nothing"


def nodes_apart(report: Report, fail_on: str) -> NodesApart:
    """``fail_on``: the least severity for which a node should not be used."""
    known = _known(report)
    failing = [each for each in report.diagnoses if exits.fails(each.severity, fail_on)]
    accused: dict[str, list[Diagnosis]] = {}
    unplaced = []
    for diagnosis in failing:
        named = _named(diagnosis, known)
        if not 0 < len(named) <= _most_accused(diagnosis):
            unplaced.append(diagnosis)
            continue
        for node in named:
            accused.setdefault(node, []).append(diagnosis)
    told = _told_of(report, known)
    nobodys = [each for each in unplaced if not _named(each, known)]
    doubt, looked_at = _doubt(report, nobodys), _looked_at(report)
    good: list[str] = []
    left: list[OpenNode] = []
    for node in known:
        if node in accused:
            continue
        if why := told.get(node) or doubt or ("" if node in looked_at else _NOT_LOOKED_AT):
            left.append(OpenNode(node, why))
        else:
            good.append(node)
    found = (AccusedNode(node, tuple(diagnoses)) for node, diagnoses in accused.items())
    return NodesApart(tuple(found), tuple(good), tuple(left), tuple(unplaced))


def _known(report: Report) -> dict[str, None]:
    """In the order of the report."""
    facts = report.facts
    names = [*_words(facts.get("state_nodes")), *_words(facts.get("hosts"))]
    names += [host for sweep in report.sweeps for host in sweep.hosts]
    return dict.fromkeys((*names, *_expanded(facts.get("nodes_asked"))))


def _words(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else []


def _expanded(value: object) -> list[str]:
    with suppress(SlowlinkError):
        return expand(value, _MOST_NODES) if isinstance(value, str) and value else []
    return []


def _named(claim: Claim, known: Mapping[str, None]) -> dict[str, None]:
    """The nodes that it accuses; a part of a node (``gpu05 mlx5_3``) is the node's. A path between two accuses none."""
    found: list[str] = []
    for suspect in claim.suspects:
        if suspect.kind == "node":
            found += [suspect.name] if suspect.name in known else _expanded(suspect.name) or [suspect.name]
        elif suspect.kind != "link" and suspect.name.partition(" ")[0] in known:
            found.append(suspect.name.partition(" ")[0])
    return dict.fromkeys(found)


def _most_accused(diagnosis: Diagnosis) -> int:
    """How many nodes it may name and accuse each of them. What an application did wrong is no fault of the node where
    it showed; and where a run of several was slow, or wrong, or hung, it may be one of them or what lies between."""
    if diagnosis.layer == "application":
        return 1 if diagnosis.cause in _LOST else 0
    return 1 if diagnosis.layer == "measure" else _MOST_NODES


def _told_of(report: Report, known: Mapping[str, None]) -> dict[str, str]:
    """Node -> what speaks against it: of everything from a warning on, also of what another cause explains."""
    claims: Iterable[Claim] = (*report.diagnoses, *report.findings)
    told: dict[str, str] = {}
    for claim in claims:
        if exits.fails(claim.severity, "warning"):
            for node in _named(claim, known):
                told.setdefault(node, f"{claim.cause}: {claim.message}")
    return told


def _doubt(report: Report, nobodys: Sequence[Diagnosis]) -> str:
    """Why nobody can be called good; "" where nothing stands against it. A link between switches is no node's fault."""
    if report.verdict == "inconclusive":
        return report.headline
    if unread := what_was_not_read(report):
        return f"not everything was read: {unread}"
    if not proofs(report.facts):
        return "nothing was shown to be right"
    open_ones = [each for each in nobodys if not _is_of_the_fabric(each)]
    return f"{open_ones[0].cause} names no node: {open_ones[0].message}" if open_ones else ""


def _is_of_the_fabric(diagnosis: Diagnosis) -> bool:
    kinds = {suspect.kind for suspect in diagnosis.suspects}
    return diagnosis.layer == "fabric" and bool(kinds) and kinds <= set(_OF_THE_FABRIC)


def _looked_at(report: Report) -> set[str]:
    """Nodes of which a device was read, or that measured a whole table."""
    measured = {host for sweep in report.sweeps if sweep.complete for host in sweep.hosts}
    return measured.union(*map(_expanded, set(_device_nodes(report))))


def _device_nodes(report: Report) -> Iterator[str]:
    """Node sets, folded."""
    state = report.facts.get(NODE_STATE)
    known = all_attributes()
    for name, entries in state.items() if isinstance(state, Mapping) else ():
        if name in known and known[name].part in _DEVICES and isinstance(entries, (list, tuple)):
            yield from (str(each.get("nodes", "")) for each in entries if isinstance(each, Mapping))

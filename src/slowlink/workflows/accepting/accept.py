"""From evidence and a contract to the sealed record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink import __version__, exits
from slowlink.facts.assemble import state_alone
from slowlink.facts.jobs.described import without_described
from slowlink.model.acceptance import (
    ACCEPTANCE_SCHEMA,
    Acceptance,
    AcceptedNode,
    Cell,
    CellState,
    Check,
    Contract,
    EvidenceFile,
    Fault,
)
from slowlink.model.facts import Hardware, Matrices, State
from slowlink.model.policy import Policy
from slowlink.model.records import Records
from slowlink.model.report import Report
from slowlink.nodes import fold
from slowlink.redact import Redaction
from slowlink.report.acceptance.record import sealed
from slowlink.report.escape import cleaned
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.measured import gpu_copies_uneven
from slowlink.workflows.accepting import checks as of
from slowlink.workflows.accepting.accusations import Accusations
from slowlink.workflows.accepting.cells_of_nodes import CellsOfNodes, Measured
from slowlink.workflows.accepting.expected_hcas import expected_hcas
from slowlink.workflows.accepting.hca_checks import HcaChecks
from slowlink.workflows.accepting.limits import Limits
from slowlink.workflows.accepting.measurements import Measurements
from slowlink.workflows.accepting.names import FileNames, NodeNames
from slowlink.workflows.accepting.node_checks import NodeChecks
from slowlink.workflows.accepting.policy_cells import PolicyCells
from slowlink.workflows.accepting.state_seen import StateSeen
from slowlink.workflows.accepting.verdict import headline_of, result_of
from slowlink.workflows.acting.known_nodes import KnownNodes
from slowlink.workflows.analyze import JudgedJob, report_of

K = TypeVar("K")


class Terms(Struct, frozen=True):
    """A contract with all that is needed to judge by it."""

    contract: Contract
    nodes: tuple[str, ...]
    hcas: tuple[str, ...]
    """Names that were given; (): as the evidence names them."""
    hardware: Hardware
    checks: tuple[Check, ...]
    policy: Policy | None = None


def accepted(records: Records, evidence: tuple[EvidenceFile, ...], terms: Terms, files: FileNames) -> Acceptance:
    """The record of evidence that was read. ``analyze`` says the same of it, and no node that it accuses passes."""
    jobs: list[JudgedJob] = []
    report = report_of(records, terms.hardware, terms.contract.tolerances, terms.policy, jobs)
    state = jobs[0].facts.state if len(jobs) == 1 else state_alone(without_described(records)[0])
    limits = Limits()
    measured = Measurements(jobs, files, limits, terms.contract)
    names = NodeNames(terms.nodes, _seen(report, state, measured))
    nodes = _nodes(report, state, jobs, terms, names, files, measured, limits)
    cluster = (_analysis(report, terms, limits), *(cell for _, cell in measured.between))
    result = result_of(terms.checks, cluster, nodes)
    record = Acceptance(
        schema=ACCEPTANCE_SCHEMA,
        slowlink=__version__,
        result=result,
        headline=headline_of(result, terms.checks, cluster, nodes),
        contract=terms.contract,
        checks=terms.checks,
        cluster=cluster,
        nodes=nodes,
        limits=limits.all,
        faults=tuple(_faults(report, terms.contract.fail_on)),
        beside=fold(sorted(names.beside)),
        evidence=evidence,
    )
    return sealed(_fit_to_show(record))


def _fit_to_show(record: Acceptance) -> Acceptance:
    """Every word as it is shown everywhere: without secrets, and without what steers a terminal."""
    redaction = Redaction()

    @cache  # a thousand nodes say the same
    def clean(text: str) -> str:
        return redaction.text(text) if text else ""

    def words(cell: Cell) -> Cell:
        why, measured = clean(cell.why), clean(cell.measured)
        return cell if (why, measured) == (cell.why, cell.measured) else replace(cell, why=why, measured=measured)

    def node(each: AcceptedNode) -> AcceptedNode:
        hcas = tuple(replace(hca, cells=tuple(map(words, hca.cells))) for hca in each.hcas)
        return replace(each, cells=tuple(map(words, each.cells)), hcas=hcas)

    return cleaned(
        replace(
            record,
            headline=clean(record.headline),
            cluster=tuple(map(words, record.cluster)),
            nodes=tuple(map(node, record.nodes)),
            faults=tuple(replace(each, message=clean(each.message)) for each in record.faults),
        )
    )


def _nodes(
    report: Report,
    state: State | None,
    jobs: Sequence[JudgedJob],
    terms: Terms,
    names: NodeNames,
    files: FileNames,
    measured: Measurements,
    limits: Limits,
) -> tuple[AcceptedNode, ...]:
    seen = StateSeen(state, names)
    of_nodes = NodeChecks(seen, names, files, terms.contract, limits)
    of_hcas = HcaChecks(seen, names, files, terms.contract, limits, of_nodes)
    alone = terms.nodes[0] if len(terms.nodes) == 1 else None
    tests = Measured(
        _by(((names.meant(node), cell) for node, cell in measured.inside)),
        _by(((names.meant(node), cell) for nodes, cell in measured.between for node in nodes)),
        _by(((names.meant(node), cell) for node, cell in _copies(jobs, terms.hardware, files, limits))),
        _by(
            (((meant, hca) if (meant := names.meant(node) or (None if node else alone)) else None), cell)
            for node, hca, cell in measured.links
        ),
    )
    findings = [found for job in jobs for found in job.checked.findings]
    accusations = Accusations(report, findings, names, terms.contract.fail_on)
    reviews = [job.facts.policy for job in jobs if job.facts.policy is not None]
    policy = PolicyCells(reviews, names, limits, terms.contract.policy)
    cells = CellsOfNodes(terms.checks, of_nodes, of_hcas, tests, accusations, policy.cell, files, limits)
    hcas = expected_hcas(terms.nodes, _hcas_seen(terms.nodes, seen, tests), terms.hardware.nics, terms.hcas)
    return tuple(cells.node(node, hcas[node]) for node in terms.nodes)


def _by(pairs: Iterable[tuple[K | None, Cell]]) -> Mapping[K, list[Cell]]:
    found: dict[K, list[Cell]] = {}
    for key, cell in pairs:
        if key is not None:
            found.setdefault(key, []).append(cell)
    return found


def _hcas_seen(nodes: Sequence[str], seen: StateSeen, tests: Measured) -> dict[str, dict[str, float]]:
    """Node -> its HCAs, by its ports and by the tests of links there, with the rates of their ports in Gb/s."""
    found: dict[str, dict[str, float]] = {}
    for node in nodes:
        mine = found.setdefault(node, {})
        for attribute in ("port-state", "port-rate"):
            for name, reading in seen.parts(attribute, node).items():
                hca, is_rate = name.partition("/")[0], isinstance(reading.value, (int, float))
                mine[hca] = max(mine.get(hca, 0.0), float(reading.value) if is_rate else 0.0)
    for node, hca in tests.links:
        if hca:
            found[node].setdefault(hca, 0.0)
    return found


def _copies(
    jobs: Sequence[JudgedJob], hardware: Hardware, files: FileNames, limits: Limits
) -> Iterable[tuple[str, Cell]]:
    """(node, cell) of each node whose copies were measured, in the words of the rule that judges them."""
    limit = limits.place("alike, and what the GPU's links usually carry", "rule gpu-copies-uneven")
    for job in jobs:
        matrices = job.facts.matrices.all if job.facts.matrices is not None else ()
        for host in dict.fromkeys(each.host for each in matrices if each.host):
            mine = tuple(each for each in matrices if each.host == host)
            said = list(gpu_copies_uneven.check(Matrices(mine), hardware, None, gpu_copies_uneven.Params()))
            right = [each for each in said if isinstance(each, Proof) and not each.undecided]
            shown = (files.place(mine[0].ref.source, mine[0].ref.line),)
            passes = bool(right) and len(right) == len(said)
            why = right[0].message if right else said[0].message if said else "nothing says how fast they should be"
            yield host, Cell(of.COPIES, "pass" if passes else "open", limit=limit, why=why, evidence=shown)


def _analysis(report: Report, terms: Terms, limits: Limits) -> Cell:
    """What ``slowlink analyze`` would end with: nothing is accepted that it does not call healthy."""
    fail_on = terms.contract.fail_on
    limit = limits.place(f"healthy, or nothing of {fail_on} and above", "exit status 0 of slowlink analyze")
    severities = [each.severity for each in report.diagnoses]
    status = exits.decide(report.verdict, severities, fail_on)
    broken = [each.rule for each in report.outcomes if each.outcome == "broken"]
    if status == exits.HEALTHY and not broken:
        return Cell(of.ANALYSIS, "pass", report.verdict, limit=limit, why=report.headline)
    failing = [each.cause for each in report.diagnoses if exits.fails(each.severity, fail_on)]
    why = report.headline if status != exits.HEALTHY else f"a defect of slowlink: the rule {broken[0]} failed"
    state: CellState = "fail" if status == exits.FINDINGS else "open"
    return Cell(of.ANALYSIS, state, report.verdict, "", limit, tuple(dict.fromkeys(failing)), why)


def _faults(report: Report, fail_on: str) -> Iterable[Fault]:
    for each in report.diagnoses:
        fails = exits.fails(each.severity, fail_on)
        yield Fault(each.cause, each.severity, each.confidence, each.message, fails)


def _seen(report: Report, state: State | None, measured: Measurements) -> Iterable[str]:
    """Names of nodes, as the evidence has them. A file without a node's name is none."""
    unnamed = state.unnamed if state is not None else frozenset()
    yield from (node for node in (state.nodes if state is not None else ()) if node not in unnamed)
    yield from (node for node in KnownNodes(report).all if node not in unnamed)
    yield from (node for node, _ in measured.inside)
    yield from (node for nodes, _ in measured.between for node in nodes)
    yield from (node for node, _, _ in measured.links if node)

"""From inputs to a report: read, join, expect, check, diagnose. Everything after reading is a pure function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from slowlink import __version__
from slowlink.catalog.attributes import attribute
from slowlink.catalog.given import given_hardware
from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.facts.error_counters import nonzero_error_counters
from slowlink.facts.folded_state import folded_state, told_differences
from slowlink.facts.jobs import split
from slowlink.facts.jobs.described import without_described
from slowlink.facts.picture import picture
from slowlink.facts.summary.summarise import summarise
from slowlink.facts.unanswered import with_unanswered
from slowlink.inputs import Given, open_given
from slowlink.inputs.progress import Progress
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Facts, Hardware, MeasuredSweep
from slowlink.model.ladder import Ladder, Waterfall
from slowlink.model.policy import Policy
from slowlink.model.records import Records
from slowlink.model.report import (
    NOT_ALL_READ,
    Difference,
    Expectation,
    InputSummary,
    Outcome,
    Report,
    Sweep,
    SweepPoint,
    TransportPicture,
)
from slowlink.model.source import SourceStats
from slowlink.parsers.reading.beside import beside
from slowlink.parsers.reading.engine import Workers
from slowlink.parsers.reading.read import read
from slowlink.report.json import SCHEMA
from slowlink.report.not_collected import cannot_be_judged, reason
from slowlink.rules.diagnosis import MOST_UNREAD, diagnose, headline, verdict
from slowlink.rules.engine import Checked, run
from slowlink.rules.evidence.mpi_tests import unjudged as unjudged_tables
from slowlink.workflows.documents import with_described
from slowlink.workflows.heap import heap_report

_TOLD, _NOT_GOING_ON = "trouble-told", ("hanging", "crashing")
_FLEET_NODES = 200
"""From so many on what the report shows of them takes seconds, and is put together while the rules run."""
_MOST_COUNTERS = 4
"""Named in the headline."""


class JudgedJob(Struct, frozen=True):
    """What the report of one job rests on."""

    facts: Facts
    expected: Expectations
    checked: Checked


def analyze(
    logs: Given,
    *,
    hardware: Hardware | str | None = None,
    tolerances: Mapping[str, Mapping[str, object]] | None = None,
    progress: Progress | None = None,
    workers: Workers = None,
    policy: Policy | None = None,
) -> Report:
    """Read logs and say what is wrong, or prove that nothing is.

    ``logs``: a path (file, directory, archive, ``-`` for standard input), ``bytes``, an open file, a list of these, or
    any other iterable, which gives lines. ``hardware``: what the logs do not tell, made by ``slowlink.hardware``, or
    the name of a system (``hgx_h100``). ``tolerances``: parameters of rules by rule id. ``progress`` is told of every
    byte; with it an interrupt ends the reading and not the analysis, and is noted there. ``workers``: processes of this
    machine, or an engine. ``policy``: what nodes must be (``slowlink.workflows.policy.read``).
    Raises SlowlinkError when a path is not there or a name is unknown.
    """
    given = given_hardware(system=hardware) if isinstance(hardware, str) else hardware
    records = read(open_given(logs, progress), workers, progress, guarded=True)
    return report_of(records, given, tolerances, policy)


def report_of(
    records: Records,
    hardware: Hardware | None = None,
    tolerances: Mapping[str, Mapping[str, object]] | None = None,
    policy: Policy | None = None,
    judged: list[JudgedJob] | None = None,
) -> Report:
    """The report of records that were read already: of one job, or of each job that they hold. ``judged`` gets what it
    rests on, job after job; what a document only describes is not among it."""
    happened, described = without_described(records)
    report = _report_of_all(happened, hardware, tolerances, policy, judged if judged is not None else [])
    if described is None:
        return report
    return with_described(report, _report_of_job(described, hardware, tolerances), records.passages)


def _report_of_all(
    records: Records,
    hardware: Hardware | None,
    tolerances: Mapping[str, Mapping[str, object]] | None,
    policy: Policy | None,
    judged: list[JudgedJob],
) -> Report:
    jobs = split(records)
    if len(jobs) == 1:
        return _report_of_job(records, hardware, tolerances, policy, judged)
    reports = [_report_of_job(job.records, hardware, tolerances, policy, judged) for job in jobs]
    return heap_report(records, jobs, reports, tuple(_input(source) for source in records.sources))


def _report_of_job(
    records: Records,
    hardware: Hardware | None,
    tolerances: Mapping[str, Mapping[str, object]] | None,
    policy: Policy | None = None,
    judged: list[JudgedJob] | None = None,
) -> Report:
    facts = assemble(records, hardware, policy)
    expected = assemble_expectations(facts)
    fleet = facts.state is not None and len(facts.state.nodes) >= _FLEET_NODES
    with beside(partial(_shown, records, facts), pays=fleet) as shown_of_it:
        checked = run(facts, expected or None, tolerances)
        shown = shown_of_it()
    if judged is not None:
        judged.append(JudgedJob(facts, expected, checked))
    diagnoses = diagnose(checked.findings)
    left_out = _left_out(records)
    result = verdict(
        diagnoses,
        checked.proofs,
        partial=bool(left_out),
        unread=_unread(records),
        open_beside=bool(_unjudged(expected)) or _ran_elsewhere(facts),
        stands_still=_is_said_to_stand(facts),
    )
    unjudged = _unjudged(expected) or unjudged_tables(facts.mpi_tables, facts.commands, facts.events)
    nothing = _nothing(records, unjudged) if result == "inconclusive" else ""
    said = headline(result, diagnoses, checked.proofs, nothing, checked.findings, unjudged)
    said = with_unanswered(said, facts.state)
    return Report(
        schema=SCHEMA,
        slowlink=__version__,
        verdict=result,
        headline=said if _tells(said, records) else f"{said}{NOT_ALL_READ}{left_out}",
        diagnoses=diagnoses,
        findings=checked.findings,
        outcomes=_with_reasons(checked, expected),
        sweeps=tuple(_sweep(sweep) for sweep in facts.sweeps.all) if facts.sweeps is not None else (),
        expectations=tuple(_expectations(expected)),
        inputs=tuple(_input(source) for source in records.sources),
        facts={**shown.facts, "proofs": _proofs(checked)},
        transports=shown.transports,
        differences=shown.differences,
        ladder=_ladder(facts.ladder, checked, tolerances or {}),
    )


class _Shown(Struct):
    """What a report shows of the facts, whatever the rules make of them."""

    facts: dict[str, object]
    transports: TransportPicture | None
    differences: tuple[Difference, ...]


def _shown(records: Records, facts: Facts) -> _Shown:
    return _Shown(
        {**summarise(records, facts), **folded_state(facts.state)},
        picture(facts),
        told_differences(facts.differences),
    )


def _ladder(
    climbed: Ladder | None, checked: Checked, tolerances: Mapping[str, Mapping[str, object]]
) -> Waterfall | None:
    """Where bandwidth is lost between layers, and what explains it."""
    if climbed is None:
        return None
    from slowlink.ladder.told import told_ladder

    return told_ladder(climbed, checked.findings, tolerances.get("layer-loses-bandwidth", {}))


def _with_reasons(checked: Checked, expected: Expectations) -> tuple[Outcome, ...]:
    """The outcomes; a rule that was skipped says what it would need."""
    return tuple(
        replace(outcome, reason=reason(checked.absences[outcome.rule], expected.unjudged))
        if outcome.rule in checked.absences
        else outcome
        for outcome in checked.outcomes
    )


def _is_said_to_stand(facts: Facts) -> bool:
    """Does somebody say that the job hangs or crashes?"""
    told = facts.observations.all if facts.observations is not None else ()
    return any(each.kind == _TOLD and each.value in _NOT_GOING_ON for each in told)


def _ran_elsewhere(facts: Facts) -> bool:
    """Did NCCL's job run on more nodes than there is state of? Sound parts of one node say nothing of the others."""
    hosts = len(facts.communicators.hosts) if facts.communicators is not None else 0
    if facts.transports is not None and facts.transports.inter:
        hosts = max(hosts, 2)  # channels between nodes, whoever logged them
    return facts.state is not None and len(facts.state.nodes) < hosts


def _left_out(records: Records) -> str:
    """Where evidence is missing, and why; "" where nothing is."""
    partial = next((source for source in records.sources if source.partial), None)
    return f"{partial.path}: {partial.problem}" if partial is not None else ""


def _unread(records: Records) -> float:
    """The share of lines that no parser knows; 0 where there are none."""
    own = [source for source in records.sources if source.copy_of is None]
    return sum(source.unread for source in own) / max(sum(source.lines for source in own), 1)


def _tells(said: str, records: Records) -> bool:
    """Does the headline say already what is left out first, where anything is? A node without an answer may do so."""
    partial = next((source for source in records.sources if source.partial), None)
    told = partial is not None and "did not answer" in said and str(partial.problem) in said
    return told or _left_out(records) in said


def _unjudged(expected: Expectations) -> str:
    """Why what was measured tells nothing; "" where nothing was, or some of it does."""
    only = expected.unjudged and not expected.sweeps and not expected.open
    return cannot_be_judged(expected.unjudged) if only else ""


def _nothing(records: Records, unjudged: str) -> str:
    """Why nothing can be said."""
    lines = sum(source.lines for source in records.sources if source.copy_of is None)
    kinds = list(dict.fromkeys(kind for source in records.sources for kind in source.kinds))
    if lines == 0 and not kinds:
        return _no_log(records)
    if left_out := _left_out(records):
        return f"{left_out}; what was read shows nothing wrong"
    counted = "1 line" if lines == 1 else f"{lines:,} lines"
    if lines == 0:
        counted = f"{len(records.sources)} binary {'file' if len(records.sources) == 1 else 'files'}"
    them = "it" if counted.startswith("1 ") else "them"
    if not kinds:
        return f"nothing recognised in {counted}"
    if unjudged:
        return unjudged
    if _unread(records) > MOST_UNREAD:
        return f"{_unread(records):.0%} of {counted} are of no known form, and what stands in them may be wrong"
    if records.readings:
        return f"{counted} read ({', '.join(kinds)}), and nothing in {them} tells good from bad: {_wanting(records)}"
    return f"{counted} read ({', '.join(kinds)}), and nothing in {them} allows a conclusion"


def _wanting(records: Records) -> str:
    """What would tell good from bad, by what was read."""
    kinds = {attribute(name).kind == "counter" for name in {reading.attribute for reading in records.readings}}
    second = f"counters need a second look{_counters(records)}" if True in kinds else ""
    peers = f"{'the rest' if second else 'what is there'} needs a sound node beside it" if False in kinds else ""
    return ", ".join(filter(None, (second, peers)))


def _counters(records: Records) -> str:
    """Which of them are not zero, a few of them in words."""
    found = nonzero_error_counters(records.readings)
    said = [f"{r.part.name} {r.attribute.removeprefix('port-')} {r.value:,}" for r in found[:_MOST_COUNTERS]]
    more = f" and {len(found) - len(said)} more" if len(found) > len(said) else ""
    return f" ({', '.join(said)}{more})" if said else ""


def _no_log(records: Records) -> str:
    """Why there is not one line: what was given is something else, or nothing."""
    told = [f"{source.path}: {source.problem}" for source in records.sources if source.problem]
    if not records.sources:
        return "no file lies there"
    if not told:
        return "the input is empty"
    return told[0] if len(told) == 1 else f"{told[0]}; and {len(told) - 1} more"


def _proofs(checked: Checked) -> list[str]:
    right = [proof for proof in checked.proofs if not proof.undecided]
    ranked = sorted(right, key=lambda proof: (-proof.weight, not proof.leads))
    return list(dict.fromkeys(proof.message for proof in ranked))


def _sweep(measured: MeasuredSweep) -> Sweep:
    points = measured.run.points
    first = points[0] if points else None
    version = f" {measured.run.tests_version}" if measured.run.tests_version else ""
    bases = [
        f"collective: {measured.run.collective_basis}" if measured.run.collective_basis else "",
        f"ranks: {measured.nranks_basis}" if measured.nranks_basis else "",
        f"nodes: {measured.nnodes_basis}" if measured.nnodes_basis else "",
    ]
    return Sweep(
        collective=measured.collective,
        nranks=measured.nranks,
        nnodes=measured.nnodes,
        datatype=first.datatype if first else None,
        redop=first.redop if first else None,
        engine=measured.run.tool + version,
        source=measured.run.source,
        line=measured.run.header.line,
        points=tuple(
            SweepPoint(
                size_bytes=p.size_bytes,
                count=p.count,
                placement="in_place" if p.placement == "in_place" else "out_of_place",
                time_us=p.time_us,
                algbw_gbs=p.algbw_gbs,
                busbw_gbs=p.busbw_gbs,
                wrong=p.wrong,
                iterations_us=p.iterations_us,
                line=p.ref.line,
                doubt=p.doubt,
            )
            for p in points
        ),
        average_busbw_gbs=measured.run.average_busbw_gbs,
        peak_busbw_gbs=measured.peak_busbw_gbs,
        complete=measured.complete,
        hosts=measured.hosts,
        gpu=measured.gpu,
        library=f"{measured.library.library} {measured.library.version}" if measured.library else None,
        basis="; ".join(basis for basis in bases if basis),
    )


def _expectations(expected: Expectations) -> Iterable[Expectation]:
    for judged in expected.sweeps:
        yield judged.busbw
        yield from judged.algorithms
    for link in expected.links:
        yield link.link


def _input(source: SourceStats) -> InputSummary:
    return InputSummary(
        path=source.path,
        kinds=source.kinds,
        bytes=source.size_bytes,
        lines=source.lines,
        used=source.used,
        ignored=source.ignored,
        unread=source.unread,
        unread_samples=tuple(f"{ref.line}: {ref.text}" for ref in source.unread_samples),
        problem=source.problem,
        copy_of=source.copy_of,
        partial=source.partial,
    )

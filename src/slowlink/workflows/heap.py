"""The report of a heap: each job with its own verdict, and the whole as bad as the worst of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from slowlink.facts.assemble import state_alone
from slowlink.facts.differences import differences
from slowlink.facts.folded_state import folded_state, told_differences
from slowlink.facts.jobs import JobRecords
from slowlink.model.records import Records
from slowlink.model.report import (
    Claim,
    Diagnosis,
    InputSummary,
    Job,
    Outcome,
    OutcomeKind,
    Report,
    TransportPicture,
    Verdict,
)
from slowlink.rules.diagnosis import ranked

_VERDICTS: tuple[Verdict, ...] = ("broken", "degraded", "inconclusive", "healthy")
"""The worst first: what is unknown is not healthy."""
_OUTCOMES: tuple[OutcomeKind, ...] = ("broken", "found", "passed", "skipped")
_PROOFS = "proofs"
_MOST_NAMED = 2

AnyClaim = TypeVar("AnyClaim", bound=Claim)


def heap_report(
    records: Records, jobs: Sequence[JobRecords], reports: Sequence[Report], inputs: tuple[InputSummary, ...]
) -> Report:
    """One report of the reports of all jobs. What it says of a job stands under the job's label."""
    told = tuple(map(_told, jobs, reports))
    counting = tuple(job for job, of in zip(told, jobs, strict=True) if _counts(job, of))
    verdict = min((job.verdict for job in counting), key=_VERDICTS.index)
    state = state_alone(records)
    each = list(zip(told, reports, strict=True))
    diagnoses = ranked(_under(job, item) for job, report in each for item in report.diagnoses)
    return replace(
        reports[0],
        verdict=verdict,
        headline=_headline(verdict, _first_cause_first(counting, diagnoses)),
        diagnoses=diagnoses,
        findings=tuple(_under(job, item) for job, report in each for item in report.findings),
        outcomes=_outcomes(reports),
        sweeps=tuple(sweep for report in reports for sweep in report.sweeps),
        expectations=tuple(expectation for report in reports for expectation in report.expectations),
        inputs=inputs,
        facts={**_shared(told), **folded_state(state), _PROOFS: _proofs(each)},
        transports=_picture(reports),
        differences=told_differences(differences(state)),
        jobs=told,
    )


def _told(job: JobRecords, report: Report) -> Job:
    return Job(
        label=job.label,
        kind=job.kind,
        hosts=job.hosts,
        sources=job.sources,
        verdict=report.verdict,
        headline=report.headline.removeprefix(f"{report.verdict}: "),
        causes=tuple(dict.fromkeys(diagnosis.cause for diagnosis in report.diagnoses)),
        facts=report.facts,
    )


def _counts(job: Job, records: JobRecords) -> bool:
    """Every job does. Of what belongs to none, that which nothing follows from leaves the jobs as they are, unless some
    of it could not be read."""
    partial = any(source.partial for source in records.records.sources)
    return job.kind == "job" or job.verdict != "inconclusive" or bool(job.causes) or partial


def _under(job: Job, claim: AnyClaim) -> AnyClaim:
    return replace(claim, job=job.label)


def _first_cause_first(jobs: Sequence[Job], diagnoses: Sequence[Diagnosis]) -> list[Job]:
    order = {label: number for number, label in enumerate(dict.fromkeys(item.job for item in diagnoses))}
    return sorted(jobs, key=lambda job: order.get(job.label, len(order)))


def _headline(verdict: Verdict, jobs: Sequence[Job]) -> str:
    worst = [job for job in jobs if job.verdict == verdict]
    if verdict == "healthy":
        said = "; ".join(f"{job.label}: {job.headline}" for job in worst[:_MOST_NAMED])
        more = len(worst) - _MOST_NAMED
        return f"healthy: {_counted(worst)}: {said}" + (f"; and {more} more" if more > 0 else "")
    first = f"{worst[0].label}: {worst[0].headline}{_of_others([job for job in jobs if job is not worst[0]])}"
    return f"inconclusive: {first}" if verdict == "inconclusive" else first


def _of_others(jobs: Sequence[Job]) -> str:
    """``; the other job is healthy``, ``; of the other 5 jobs 1 is degraded, 4 are healthy``."""
    if not jobs:
        return ""
    counts = Counter(job.verdict for job in jobs)
    if len(counts) == 1:
        which = f"the other {_noun(jobs)} is" if len(jobs) == 1 else f"the other {_counted(jobs)} are"
        return f"; {which} {jobs[0].verdict}"
    each = [f"{counts[name]} {'is' if counts[name] == 1 else 'are'} {name}" for name in _VERDICTS if counts[name]]
    return f"; of the other {_counted(jobs)} {', '.join(each)}"


def _noun(jobs: Sequence[Job]) -> str:
    return "job" if all(job.kind == "job" for job in jobs) else "group of inputs"


def _counted(jobs: Sequence[Job]) -> str:
    noun = "jobs" if _noun(jobs) == "job" else "groups of inputs"
    return f"{len(jobs)} {noun}"


def _outcomes(reports: Sequence[Report]) -> tuple[Outcome, ...]:
    """What became of each rule over all jobs: found where it found something in any of them."""
    best: dict[str, Outcome] = {}
    for report in reports:
        for outcome in report.outcomes:
            known = best.get(outcome.rule)
            if known is None or _OUTCOMES.index(outcome.outcome) < _OUTCOMES.index(known.outcome):
                best[outcome.rule] = outcome
    return tuple(best.values())


def _shared(jobs: Sequence[Job]) -> dict[str, object]:
    """What holds for every job; the rest stands with each of them."""
    first, *others = [job.facts for job in jobs if job.kind == "job"] or [jobs[0].facts]
    return {
        name: value
        for name, value in first.items()
        if name != _PROOFS and all(name in facts and facts[name] == value for facts in others)
    }


def _proofs(each: Sequence[tuple[Job, Report]]) -> list[str]:
    """The strongest of each job first: a reader sees only a few."""
    found = []
    for job, report in each:
        proofs = report.facts.get(_PROOFS)
        ranked_proofs = enumerate(proofs if isinstance(proofs, list) else ())
        found += [(rank, f"{job.label}: {proof}") for rank, proof in ranked_proofs]
    return [proof for _, proof in sorted(found, key=lambda item: item[0])]


def _picture(reports: Sequence[Report]) -> TransportPicture | None:
    drawn = [report.transports for report in reports if report.transports is not None]
    if not drawn:
        return None
    return TransportPicture(
        nodes=tuple(node for picture in drawn for node in picture.nodes),
        devices=tuple(device for picture in drawn for device in picture.devices),
        edges=tuple(edge for picture in drawn for edge in picture.edges),
    )

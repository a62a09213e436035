"""What the last calls say of each job that writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from slowlink.facts.jobs import split
from slowlink.facts.timed import timed
from slowlink.model.facts import Facts, Sources
from slowlink.model.records import Records
from slowlink.model.report import Finding
from slowlink.model.source import SourceStats
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import TimedCalls
from slowlink.rules.engine import Checked, discover, run

_RULE = "collectives-held-up"

Tolerances = Mapping[str, Mapping[str, object]]
Identity = frozenset[tuple[str, str, tuple[str, ...]]]


class OfJob(NamedTuple):
    """What is known of one job. Without findings nobody holds it up only where the rule said so."""

    label: str
    """"" where there is only one."""
    findings: tuple[Finding, ...]
    proof: str
    """What the rule compared, where it accuses nobody; "" where it could not judge."""
    doubt: str
    """Why it could not, or what it could not take into account."""

    def words(self) -> Iterator[str]:
        """Lines for a reader."""
        before = f"{self.label}: " if self.label else ""
        for found in self.findings:
            yield f"{before}{found.cause}: {found.message}"
        if self.findings:
            return
        if self.proof:
            yield f"{before}{self.proof}{f' (left out: {self.doubt})' if self.doubt else ''}"
        else:
            yield f"{before}cannot be judged yet: {self.doubt}"


class Answer(NamedTuple):
    """Of all jobs."""

    jobs: tuple[OfJob, ...]

    @property
    def accuses(self) -> bool:
        """Does it blame anybody?"""
        return any(job.findings for job in self.jobs)

    @property
    def identity(self) -> Identity:
        """What makes it another answer: who, and why; not by how much, nor how far a job without findings was seen."""
        return frozenset(
            (job.label if job.findings else "", cause, names) for job in self.jobs for cause, names in _said_of(job)
        )

    def words(self) -> list[str]:
        """A line for each finding, and for each job without any."""
        return [line for job in self.jobs for line in job.words()]


def _said_of(job: OfJob) -> Iterator[tuple[str, tuple[str, ...]]]:
    for found in job.findings:
        yield found.cause, tuple(each.name for each in found.suspects)
    if not job.findings:
        yield ("nobody" if job.proof else "not judged"), ()


def answer_of(columns: Sequence[TimedCalls], tolerances: Tolerances) -> Answer | None:
    """None while there are no calls."""
    jobs = split(Records(timed=tuple(columns), sources=tuple(_sources(columns))))
    known = [(job.label if len(jobs) > 1 else "", timed(job.records.timed)) for job in jobs]
    found = tuple(_of_job(label, one, tolerances) for label, one in known if one is not None)
    return Answer(found) if found else None


def _sources(columns: Iterable[TimedCalls]) -> Iterator[SourceStats]:
    for name in sorted({calls.ref.source for calls in columns}):
        yield SourceStats(name, (), 0, 0, 0, 0, 0)


def _of_job(label: str, known: Timed, tolerances: Tolerances) -> OfJob:
    rules = [rule for rule in discover() if rule.id == _RULE]
    mine = {name: values for name, values in tolerances.items() if name == _RULE}
    checked = run(Facts(sources=Sources(()), timed=known), None, mine, rules)
    proof = next((proof.message for proof in checked.proofs), "") if not checked.findings else ""
    return OfJob(label, checked.findings, proof, _doubt(known, checked, proof=bool(proof)))


def _doubt(known: Timed, checked: Checked, *, proof: bool) -> str:
    broken = next((outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"), "")
    if broken:
        return f"the rule is broken ({broken})"
    unclear = (
        f"{known.unclear[0]}{f', and {more} more' if (more := len(known.unclear) - 1) else ''}" if known.unclear else ""
    )
    if unclear or proof:
        return unclear
    ranks = "of one rank only" if len(known.processes) == 1 else f"{known.calls:,} of {len(known.processes):,} ranks"
    return f"too few calls that ranks share ({ranks})"

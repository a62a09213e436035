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
Identity = frozenset[tuple[str, tuple[str, ...]]]


class Answer(NamedTuple):
    """Of one job. Without findings nobody holds it up only where the rule said so."""

    label: str
    """"" where there is only one job."""
    calls: int
    """That were judged."""
    findings: tuple[Finding, ...]
    proof: str
    """What the rule compared, where it found nothing; "" where it could not judge."""
    doubt: str
    """Why it could not."""

    @property
    def accuses(self) -> bool:
        """Does it blame anybody?"""
        return bool(self.findings) and not self.open

    @property
    def open(self) -> bool:
        """Somebody may hold the job up, and nothing tells who. In few calls chance looks like that."""
        return bool(self.findings) and all(found.severity == "warning" for found in self.findings)

    @property
    def identity(self) -> Identity:
        """What makes it another answer: who, and why; not by how much, nor how many calls were seen."""
        if not self.findings:
            return frozenset({("nobody" if self.proof else "not judged", ())})
        return frozenset((found.cause, tuple(each.name for each in found.suspects)) for found in self.findings)

    def words(self) -> Iterator[str]:
        """A line for each finding, or one that says that there is none."""
        before = f"{self.label}: " if self.label else ""
        for found in self.findings:
            yield f"{before}{found.cause}: {found.message}"
        if not self.findings:
            yield before + (self.proof or f"cannot be judged yet: {self.doubt}")


def answers_of(columns: Sequence[TimedCalls], tolerances: Tolerances) -> list[Answer]:
    """One for each job that the calls are of."""
    jobs = split(Records(timed=tuple(columns), sources=tuple(_sources(columns))))
    known = ((job.label, timed(job.records.timed)) for job in jobs)
    return [_of_job(label, one, tolerances) for label, one in known if one is not None]


def _sources(columns: Iterable[TimedCalls]) -> Iterator[SourceStats]:
    for name in sorted({calls.ref.source for calls in columns}):
        yield SourceStats(name, (), 0, 0, 0, 0, 0)


def _of_job(label: str, known: Timed, tolerances: Tolerances) -> Answer:
    rules = [rule for rule in discover() if rule.id == _RULE]
    mine = {name: values for name, values in tolerances.items() if name == _RULE}
    checked = run(Facts(sources=Sources(()), timed=known), None, mine, rules)
    proof = next((proof.message for proof in checked.proofs), "")
    return Answer(label, known.calls, checked.findings, proof, _doubt(known, checked))


def _doubt(known: Timed, checked: Checked) -> str:
    broken = next((outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"), "")
    if broken:
        return f"the rule is broken ({broken})"
    if known.unclear:
        more = known.unclear_groups - 1
        return f"{known.unclear[0]}{f' (and {more:,} more)' if more else ''}"
    ranks = len(known.processes)
    return f"too few calls that ranks share ({known.calls:,} of {ranks:,} rank{'s' * (ranks != 1)})"

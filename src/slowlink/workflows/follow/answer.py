"""What the last calls say of each job that writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from slowlink.expect.held_up.grounds import known_share
from slowlink.facts.timed import timed
from slowlink.model.facts import Facts, Sources
from slowlink.model.report import Finding
from slowlink.model.timed import Timed
from slowlink.model.timed_calls import TimedCalls
from slowlink.rules.engine import Checked, discover, run
from slowlink.workflows.follow.jobs import OfJob

_RULE = "collectives-held-up"

Tolerances = Mapping[str, Mapping[str, object]]
Identity = frozenset[tuple[str, tuple[str, ...]]]


class Answer(NamedTuple):
    """Of one job. Without findings nobody holds it up only where the rule said so."""

    label: str
    """"" where there is only one job."""
    calls: int
    """That were judged."""
    columns: int
    """Ranks of all its communicators."""
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


def answers_of(jobs: Iterable[OfJob], tolerances: Tolerances) -> list[Answer]:
    """One for each job that has calls."""
    known = ((job.label, timed([_going_on(calls) for calls in job.columns])) for job in jobs)
    return [_of_job(label, one, tolerances) for label, one in known if one is not None]


def _going_on(calls: TimedCalls) -> TimedCalls:
    """Of a job that runs no file has a summary: that says nothing."""
    return replace(calls, unfinished=False) if calls.unfinished else calls


def _of_job(label: str, known: Timed, tolerances: Tolerances) -> Answer:
    rules = [rule for rule in discover() if rule.id == _RULE]
    mine = {name: values for name, values in tolerances.items() if name == _RULE}
    checked = run(Facts(sources=Sources(()), timed=known), None, mine, rules)
    proof = next((proof.message for proof in checked.proofs if not proof.undecided), "")
    columns = sum(len(group.members) for group in known.groups)
    return Answer(label, known.calls, columns, checked.findings, proof, _doubt(known, checked))


def _doubt(known: Timed, checked: Checked) -> str:
    broken = next((outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"), "")
    if broken:
        return f"the rule is broken ({broken})"
    if known.unclear:
        more = known.unclear_groups - 1
        return f"{known.unclear[0]}{f' (and {more:,} more)' if more else ''}"
    share = known_share(known)
    if share < 1:
        return f"of the ranks of its communicators only {share:.0%} write here, {known.calls:,} calls"
    return f"too few calls, {known.calls:,} of {len(known.processes):,} ranks, or too few ranks alike"

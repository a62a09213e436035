"""When an answer is worth a line: one look in a thousand is wrong by chance, and there are thousands a day."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from slowlink.workflows.follow.answer import Answer, Identity

_TIMES_AS_MANY = 4
"""New calls for each that an open answer was first seen in: chance does not look alike in so many others."""


class _OfJob(Struct):
    last: Identity | None = None
    """Told."""
    before: Identity | None = None
    """Of the look before."""
    from_call: int = 0
    """Calls that there were, of all jobs, when ``before`` began."""
    of_calls: int = 0
    """Calls that it was judged by then."""


class Said:
    """What was told last of each job."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._jobs: dict[str, _OfJob] = {}

    def take(self, answers: Iterable[Answer], taken: int) -> None:
        """Tell those that are new and hold: two looks in a row agree, or more where nothing tells who it is. The first
        of an only job is told at once where it accuses nobody. ``taken``: calls so far, of all looks."""
        jobs = {answer.label: answer for answer in answers}
        self._jobs = {label: self._jobs.get(label) or _OfJob() for label in jobs}
        for label, answer in jobs.items():
            job = self._jobs[label]
            if _holds(answer, job, taken) and answer.identity != job.last:
                job.last = answer.identity
                for line in answer.words():
                    self._tell(line)
            if answer.identity != job.before:
                job.before, job.from_call, job.of_calls = answer.identity, taken, answer.calls


def _holds(answer: Answer, job: _OfJob, taken: int) -> bool:
    if answer.identity != job.before:
        return job.last is None and not answer.findings and not answer.label
    return not answer.open or taken - job.from_call >= _TIMES_AS_MANY * job.of_calls

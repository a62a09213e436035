"""When an answer is worth a line.

One look in a thousand is wrong by chance, and there are thousands a day. Looks at the same calls are wrong together, so
an answer must hold while new calls come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from slowlink.workflows.follow.answer import Answer, Identity

_NEW_CALLS = 20
"""Of each rank and communicator, while an accusation holds; fewer where it was first seen in fewer."""
_FEW_TIMES = 5
"""Chance looks alike too often until there were so many times as many calls as an open answer was first seen in."""


class _OfJob(Struct):
    last: Identity | None = None
    """Told."""
    before: Identity | None = None
    """Of the look before."""
    since: float = 0.0
    """Calls of each rank and communicator that there were when ``before`` began."""
    seen_in: float = 0.0
    """Those that it was judged by then."""


class Said:
    """What was told last of each job."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._jobs: dict[str, _OfJob] = {}

    def take(self, answers: Sequence[Answer], taken: int) -> None:
        """Tell those that are new and hold: two looks in a row agree, at other calls where anybody is held to be late.
        The first of an only job is told at once where it accuses nobody. ``taken``: calls so far, of all looks."""
        each = taken / max(1, sum(answer.columns for answer in answers))
        self._jobs = {answer.label: self._jobs.get(answer.label) or _OfJob() for answer in answers}
        for answer in answers:
            job = self._jobs[answer.label]
            if _holds(answer, job, each) and answer.identity != job.last:
                job.last = answer.identity
                for line in answer.words():
                    self._tell(line)
            if answer.identity != job.before:
                job.before, job.since, job.seen_in = answer.identity, each, answer.calls / max(1, answer.columns)


def _holds(answer: Answer, job: _OfJob, each: float) -> bool:
    """``each``: calls so far, of each rank and communicator."""
    if answer.identity != job.before:
        return job.last is None and not answer.findings and not answer.label
    if answer.open:
        return each - job.since >= job.seen_in and each >= _FEW_TIMES * job.seen_in
    return not answer.findings or each - job.since >= min(_NEW_CALLS, job.seen_in)

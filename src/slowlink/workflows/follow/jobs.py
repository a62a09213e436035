"""Which jobs write below one directory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from slowlink.facts.jobs import split
from slowlink.model.records import Records
from slowlink.model.source import SourceStats
from slowlink.model.timed_calls import TimedCalls

_APART_S = 60.0
_YOUNG = "what began less than a minute ago"


class OfJob(NamedTuple):
    """The calls of one job."""

    label: str
    """"" where there is only one."""
    columns: Sequence[TimedCalls]


class Jobs:
    """Tells them apart when they are so for a minute: the first calls of one job may show parts that call nobody else,
    until these have a call in common."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[tuple[str, ...], float] = {}
        """By its nodes, since when a job stands apart."""

    def of(self, columns: Sequence[TimedCalls]) -> list[OfJob]:
        """Those that stand apart, and all others as one."""
        found = split(Records(timed=tuple(columns), sources=tuple(_sources(columns))))
        now = self._clock()
        self._since = {job.hosts: self._since.get(job.hosts, now) for job in found} if len(found) > 1 else {}
        apart = [job for job in found if now - self._since.get(job.hosts, now) >= _APART_S]
        if not apart:
            return [OfJob("", columns)]
        young = [calls for job in found if job not in apart for calls in job.records.timed]
        told = [OfJob(job.label, job.records.timed) for job in apart]
        return [*told, *([OfJob(_YOUNG, young)] if young else [])]


def _sources(columns: Iterable[TimedCalls]) -> Iterator[SourceStats]:
    for name in sorted({calls.ref.source for calls in columns}):
        yield SourceStats(name, (), 0, 0, 0, 0, 0)

"""Runs that a framework stopped itself for a signal, and which successes that leaves."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from slowlink.model.facts import Events, Paces
from slowlink.model.job import JobEvent
from slowlink.parting import by_key
from slowlink.rules.evidence.messages import happened

_KINDS = ("framework-stopped", "framework-signalled")
_SUCCESS = "run-succeeded"
_GOES_ON = 3
"""Steps after the signal, or after a success: fewer were under way when it came."""


def early_stops(events: Events | None, paces: Paces | None) -> Mapping[str, tuple[JobEvent, ...]]:
    """Source -> what a framework says of its stop, where no steps follow: a job that was started again in the same
    output went on."""
    steps = _steps(paces)
    stops = (event for event in happened(events, *_KINDS) if not _goes_on(event, steps))
    return {source: tuple(found) for source, found in by_key(stops, lambda event: event.ref.source).items()}


def successes(events: Events | None, paces: Paces | None) -> tuple[JobEvent, ...]:
    """What says that a run came to its end. After a stop for a signal it says only that all workers left in order; and
    where steps follow, it was a part of the run, or another run before."""
    stopped = {source: min(stop.ref.line for stop in stops) for source, stops in early_stops(events, paces).items()}
    told, steps = happened(events, _SUCCESS), _steps(paces)
    return tuple(
        event
        for event in told
        if event.ref.line < stopped.get(event.ref.source, event.ref.line + 1) and not _goes_on(event, steps)
    )


def _steps(paces: Paces | None) -> Mapping[str, Sequence[int]]:
    """Source -> the lines of its steps, in order."""
    refs = (landmark.ref for pace in (paces.all if paces is not None else ()) for landmark in pace.landmarks)
    return {source: sorted(ref.line for ref in found) for source, found in by_key(refs, lambda ref: ref.source).items()}


def _goes_on(event: JobEvent, steps: Mapping[str, Sequence[int]]) -> bool:
    """Do steps follow it in the same source?"""
    lines = steps.get(event.ref.source, ())
    return len(lines) - bisect_right(lines, event.ref.line) >= _GOES_ON

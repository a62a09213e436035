"""Runs that a framework stopped itself for a signal, and which successes that leaves."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.model.facts import Events, Paces
from slowlink.model.job import JobEvent
from slowlink.rules.evidence.messages import happened

_KINDS = ("framework-stopped", "framework-signalled")
_SUCCESS = "run-succeeded"
_GOES_ON = 3
"""Steps after the signal, or after a success: fewer were under way when it came."""


def early_stops(events: Events | None, paces: Paces | None) -> Mapping[str, tuple[JobEvent, ...]]:
    """Source -> what a framework says of its stop, where no steps follow: a job that was started again in the same
    output went on."""
    stops: dict[str, tuple[JobEvent, ...]] = {}
    for event in happened(events, *_KINDS):
        if not _goes_on(event, paces):
            stops[event.ref.source] = (*stops.get(event.ref.source, ()), event)
    return stops


def successes(events: Events | None, paces: Paces | None) -> tuple[JobEvent, ...]:
    """What says that a run came to its end. After a stop for a signal it says only that all workers left in order; and
    where steps follow, it was a part of the run, or another run before."""
    stopped = {source: min(stop.ref.line for stop in stops) for source, stops in early_stops(events, paces).items()}
    told = happened(events, _SUCCESS)
    return tuple(
        event
        for event in told
        if event.ref.line < stopped.get(event.ref.source, event.ref.line + 1) and not _goes_on(event, paces)
    )


def _goes_on(event: JobEvent, paces: Paces | None) -> bool:
    """Do steps follow it in the same source?"""
    lines = [
        landmark.ref.line
        for pace in (paces.all if paces is not None else ())
        for landmark in pace.landmarks
        if landmark.ref.source == event.ref.source
    ]
    return sum(line > event.ref.line for line in lines) >= _GOES_ON

"""Runs that slowlink ended because somebody asked for it: what ranks and launcher say at their end follows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME
from slowlink.model.job import JobEvent
from slowlink.parsers.context.bundle_manifest import RUN_ENDED

ASKED_FOR = ("interrupted", "enough")
"""Reasons of an end: Ctrl-C or a signal, and the time that the user chose to watch for."""
_ENDS = frozenset(
    {
        "slurm-task-exit",
        "slurm-cancelled",
        "ompi-signal",
        "ompi-process-exited",
        "ompi-abort",
        "ompi-daemon-lost",
        "mpich-bad-termination",
        "mpich-abort",
        "process-exited",
        "process-killed",
        "process-aborted",
        "torch-elastic-failure",
        "k8s-command-exit",
        "user-interrupt",
    }
)
"""Kinds of event that say how a process ended. One that crashed did so by its own fault, whoever ended the rest."""
_CRASHES = ("4", "7", "8", "11")


def with_echoes(events: Sequence[JobEvent]) -> tuple[JobEvent, ...]:
    """``events``, those marked as secondary that tell of the end of a run which was ended on purpose."""
    stopped = tuple(_files_of(event) for event in events if _on_purpose(event))
    if not stopped:
        return tuple(events)
    return tuple(
        replace(event, secondary=True) if event.ref.source.startswith(stopped) and _is_end(event) else event
        for event in events
    )


def _on_purpose(event: JobEvent) -> bool:
    return event.kind == RUN_ENDED and event.groups.get("reason") in ASKED_FOR


def _files_of(event: JobEvent) -> str:
    """What the names of all files of this capture begin with."""
    return f"{event.ref.source.removesuffix(MANIFEST_NAME)}{CAPTURES_NAME}/{event.groups.get('capture', '')}/"


def _is_end(event: JobEvent) -> bool:
    crashed = event.groups.get("signal", "") in _CRASHES or "segmentation" in event.groups.get("name", "").lower()
    return event.kind in _ENDS and not crashed

"""How far ranks had come when PyTorch's watchdog gave up, as they say themselves."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.patterns import regex

_PROGRESS = ("torch-watchdog-exception", "torch-dump-signal")
"""Lines in which a rank says how far it is; those of a dump signal follow from another rank's time-out."""
_NUMBER = regex(r"\d{1,9}")
_MOST_DIGITS = 15
"""Longer numbers are no counts of work, and would cost time to convert."""


class _GroupProgress(Struct):
    """What the ranks of one process group said."""

    enqueued: dict[int, int] = field(default_factory=dict)
    """Rank in the job -> the number of the last work that it enqueued."""
    timed_out: list[int] = field(default_factory=list)
    """Numbers of the works that timed out."""
    waits_behind: int = -1
    """The highest number of a work that a rank completed while the next one timed out there."""

    @property
    def uneven(self) -> bool:
        """Has some rank not enqueued the work that timed out? Where no line names it: less than another rank? Or has it
        enqueued nothing behind a work that others completed and wait after?"""
        least = min(self.enqueued.values())
        return least < min(self.timed_out, default=max(self.enqueued.values())) or least <= self.waits_behind


def progress_lines(events: Events | None) -> tuple[JobEvent, ...]:
    """Lines with the number of the last work that a rank enqueued."""
    every = events.all if events is not None else ()
    return tuple(event for event in every if event.kind in _PROGRESS and "last_enqueued" in event.groups)


def ranks_named_missing(missing: Sequence[JobEvent]) -> tuple[str, ...]:
    """Ranks that a message names as not there: ``1, 3``."""
    found = (digits for event in missing for digits in _NUMBER.findall(event.groups.get("ranks", "")))
    return tuple(dict.fromkeys(found))


def ranks_behind(lines: Sequence[JobEvent]) -> tuple[str, ...]:
    """Ranks that had not enqueued the work that timed out in their group: they did not come.

    None where that is so in several groups: nothing says which of them the others wait in.
    """
    uneven = [progress for progress in _by_group(lines).values() if progress.uneven]
    if len(uneven) != 1:
        return ()
    enqueued = uneven[0].enqueued
    least = min(enqueued.values())
    return tuple(str(rank) for rank in sorted(enqueued) if enqueued[rank] == least)


def _by_group(lines: Sequence[JobEvent]) -> dict[str, _GroupProgress]:
    groups: dict[str, _GroupProgress] = {}
    for event in lines:
        count = event.groups["last_enqueued"]
        if event.rank is None or len(count) > _MOST_DIGITS:
            continue
        progress = groups.setdefault(event.groups.get("group", ""), _GroupProgress())
        progress.enqueued[event.rank] = int(count)
        if "work" in event.groups:
            work = int(event.groups["work"][: _MOST_DIGITS + 1])
            progress.timed_out.append(work)
            completed = event.groups.get("last_completed", "")
            if completed.isdecimal() and len(completed) <= _MOST_DIGITS and int(completed) < work:
                progress.waits_behind = max(progress.waits_behind, int(completed))
    return groups

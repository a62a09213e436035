"""What ranks say of how far they are when PyTorch's watchdog gives up."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.patterns import regex

_WORK = ("torch-watchdog-exception", "torch-dump-signal")
"""Lines in which a rank tells how far it is; those of a dump signal follow from another rank's time-out."""
_NUMBER = regex(r"\d{1,9}")


def told(events: Events | None) -> tuple[JobEvent, ...]:
    """Lines with the number of the last work that a rank enqueued."""
    return tuple(e for e in events.all if e.kind in _WORK and "last_enqueued" in e.groups) if events is not None else ()


def named_missing(missing: Sequence[JobEvent]) -> tuple[str, ...]:
    """Ranks that a message names as not there: ``1, 3``."""
    found = (digits for event in missing for digits in _NUMBER.findall(event.groups.get("ranks", "")))
    return tuple(dict.fromkeys(found))


def behind(work: Sequence[JobEvent]) -> tuple[str, ...]:
    """Ranks that enqueued less than others of their group, and not the work that timed out there: they did not come."""
    groups: dict[str, dict[int, int]] = {}
    waited: dict[str, list[int]] = {}
    for event in work:
        group, count = event.groups.get("group", ""), event.groups["last_enqueued"]
        if event.rank is not None and len(count) < 16:
            groups.setdefault(group, {})[event.rank] = int(count)
            waited.setdefault(group, []).extend(int(event.groups[n][:16]) for n in ("work",) if n in event.groups)
    uneven = [
        (g, ranks) for g, ranks in groups.items() if min(ranks.values()) < min(waited[g], default=max(ranks.values()))
    ]
    if len(uneven) != 1:
        return ()  # of several groups none tells by itself which one the others wait for
    ((_, enqueued),) = uneven
    least = min(enqueued.values())
    return tuple(str(rank) for rank in sorted(enqueued) if enqueued[rank] == least)

"""What the calls of each rank consist of, where their writer tells: medians over the calls of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from slowlink.facts.timed.processes import Key, key_of
from slowlink.model.timed import PartTimes
from slowlink.model.timed_calls import KIND, PART, CallKind, TimedCalls


def parts_of(columns: Iterable[TimedCalls], members: Mapping[Key, int]) -> tuple[PartTimes, ...]:
    """Of each kind of call and each part that is told: [member], not a number for those that do not tell."""
    import numpy as np

    found: dict[tuple[CallKind, str], PartTimes] = {}
    for calls in columns:
        for kind, name, us in _medians(calls):
            one = found.get((kind, name))
            if one is None:
                one = found[kind, name] = PartTimes(kind, name, np.full(len(members), np.nan))
            one.us[members[key_of(calls)]] = us
    return tuple(found.values())


def _medians(calls: TimedCalls) -> Iterator[tuple[CallKind, str, float]]:
    import numpy as np

    if not calls.parts:
        return
    kinds = np.frombuffer(calls.kind, KIND)
    places = [np.flatnonzero(kinds == place) for place in range(len(calls.kinds))]
    for name, column in calls.parts.items():
        every = np.frombuffer(column, PART)
        for kind, mine in zip(calls.kinds, places, strict=True):
            told = every[mine]
            told = told[np.isfinite(told)]
            if len(told):
                yield kind, name, float(np.median(told))

"""Traces of a profiler, put beside one another: each holds the calls of some seconds, and its own calls alone.

A profiler writes several traces of one rank, and a heap may hold those of several jobs, in which communicators have the
same names. So only traces of the same times are set against one another; where calls have no numbers, only such as
begin and end together, because a rank whose profiler began later has other calls in the same places.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slowlink.facts.timed.processes import Key, key_of
from slowlink.facts.timed.same_job import jobs_of
from slowlink.model.timed_calls import SENDS, CallKind, TimedCalls

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_APART = 0.1
"""Share of a trace by which others of the same calls may begin or end apart: clocks of nodes differ."""
_LEAST_APART_S = 1e-3
_FEWEST_IN_STEP = 8
_OF_A_GAP = 0.03
"""Of the time between two calls, by which ends may differ: what is less shows no other calls."""
_BETTER = 4.0
"""Times closer that calls end to those of others when they are moved, before they are believed to be others."""

Extent = tuple[float, float]


class Window(NamedTuple):
    """Columns of one communicator over the same times."""

    columns: tuple[TimedCalls, ...]
    pause_s: float
    """Before it, nothing of this communicator was recorded for so long, in all."""

    @property
    def counted(self) -> bool:
        """Calls are told by their places."""
        return any(calls.counted for calls in self.columns)


def extents_of(columns: Iterable[TimedCalls]) -> dict[str, Extent]:
    """Source -> when the first and the last of all its calls ended."""
    found: dict[str, Extent] = {}
    for calls in columns:
        first, last = extent_of(calls)
        before = found.get(calls.ref.source, (first, last))
        found[calls.ref.source] = min(before[0], first), max(before[1], last)
    return found


def extent_of(calls: TimedCalls) -> Extent:
    """When the first and the last ended; the first is 0 where one does not tell."""
    ended = memoryview(calls.ended).cast("d")
    return min(ended), max(ended)


def windows_of(columns: Sequence[TimedCalls], extents: Mapping[str, Extent]) -> list[list[Window]]:
    """Columns of one communicator over the same times, in order of time: those that may be of one job together."""
    ordered = sorted(columns, key=extent_of)
    together: list[list[TimedCalls]] = []
    if any(calls.counted for calls in columns):
        of_first: list[Extent] = []
        for calls in ordered:
            _put(together, of_first, calls)
    else:
        last = float("-inf")
        for calls in ordered:
            begins, ends = extent_of(calls)
            if begins > last or not together:
                together.append([])
            together[-1].append(calls)
            last = max(last, ends)
    return [_with_pauses(each, extents) for each in jobs_of(together)]


def doubt_of(window: Window) -> str:
    """Why its calls cannot be lined up; "" where they can."""
    columns, counted = window.columns, window.counted
    of_key: dict[Key, list[TimedCalls]] = {}
    for calls in columns:
        of_key.setdefault(key_of(calls), []).append(calls)
    if any(len(mine) > 1 and (counted or _share_calls(mine)) for mine in of_key.values()):
        return "several traces of one process are over the same times"
    if len({calls.rank for calls in columns}) < len(of_key):
        return "several processes say that they are the same rank"
    if counted:
        if len(columns) == 1:
            return f"the trace of its rank {columns[0].rank} is over other times than those of the others"
        if any(extent_of(calls)[0] <= 0 for calls in columns):
            return "its traces do not tell when its calls ended"
    return ""


def in_step(kinds: Sequence[Sequence[Array]]) -> bool:
    """Do calls that are told by their places follow one another on all ranks alike? A call ends for all ranks together,
    and they call in the same order. ``kinds``: [kind][member] epoch seconds, of a kind as many of each member."""
    import numpy as np

    if not kinds:
        return True
    told = np.repeat(np.arange(len(kinds)), [len(each[0]) for each in kinds])
    ends = [np.concatenate(mine) for mine in zip(*kinds, strict=True)]
    orders = [np.argsort(mine, kind="stable") for mine in ends]
    first = ends[0][orders[0]]
    return all(
        np.array_equal(told[orders[0]], told[order]) and not _are_moved(first, mine[order])
        for mine, order in zip(ends, orders, strict=True)
    )


def _are_moved(first: Array, second: Array) -> bool:
    """Do the ends of the second go with those of the first only when they are moved by some places?"""
    import numpy as np

    count = len(first)
    if count < _FEWEST_IN_STEP:
        return False
    as_they_are = _apart(first, second)
    if as_they_are <= _OF_A_GAP * float(np.median(np.diff(first))):
        return False
    gaps = [np.fft.rfft(each - each.mean(), 2 * count) for each in (np.diff(first), np.diff(second))]
    alike = np.fft.irfft(gaps[0] * np.conj(gaps[1]), 2 * count)
    most = count // 2
    by = int(np.argmax(np.concatenate([alike[-most:], alike[: most + 1]]))) - most
    moved = (first[by:], second[: count - by]) if by >= 0 else (first[:by], second[-by:])
    return _BETTER * _apart(*moved) < as_they_are


def _apart(first: Array, second: Array) -> float:
    """How much the time between the ends of the same calls differs: clocks may."""
    import numpy as np

    between = second - first
    return float(np.mean(np.abs(between - np.median(between))))


def _share_calls(columns: Iterable[TimedCalls]) -> bool:
    """Has a call of one the kind and the number of a call of another?"""
    seen: set[tuple[CallKind, int]] = set()
    for calls in columns:
        places = zip(memoryview(calls.kind).cast("H"), memoryview(calls.number).cast("I"), strict=True)
        mine = {(kind, number) for place, number in places if (kind := calls.kinds[place]).collective not in SENDS}
        if not seen.isdisjoint(mine):
            return True
        seen |= mine
    return False


def _put(together: list[list[TimedCalls]], of_first: list[Extent], calls: TimedCalls) -> None:
    """``of_first``: the extent of the first calls of each window; they begin one after another."""
    begins, ends = extent_of(calls)
    near = bisect_left(of_first, (begins - 2 * max(_LEAST_APART_S, _APART * (ends - begins)),))
    for place in range(near, len(together)):
        first, last = of_first[place]
        apart = max(_LEAST_APART_S, _APART * min(last - first, ends - begins))
        if abs(begins - first) <= apart and abs(ends - last) <= apart:
            together[place].append(calls)
            return
    together.append([calls])
    of_first.append((begins, ends))


def _with_pauses(together: Iterable[list[TimedCalls]], extents: Mapping[str, Extent]) -> list[Window]:
    found: list[Window] = []
    pause, last = 0.0, None
    for some in together:
        each = [extents[calls.ref.source] for calls in some]
        if last is not None:
            pause += max(0.0, min(first for first, _ in each) - last)
        last = max(end for _, end in each) if last is None else max(last, *(end for _, end in each))
        found.append(Window(tuple(some), pause))
    return found

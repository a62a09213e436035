"""How late each rank comes to the calls of a communicator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slowlink.averages import SIGMAS_PER_MAD
from slowlink.model.timed import CallTimes, TimedGroup
from slowlink.model.timed_calls import CallKind

if TYPE_CHECKING:
    from slowlink.model.timed import Array

WAITING = frozenset({"all_reduce", "all_gather", "reduce_scatter", "alltoall", "alltoallv"})
"""Collectives in which every rank needs something of every other."""
_FEW = 4
"""Ranks of which each is held against the others without itself; among more, one does not move the middle."""

_FEWEST_LIKE = 3
"""Pipelines of which the same rank is known; with fewer, nothing shows which one waits longer than usual."""


class Lateness(NamedTuple):
    """All members of one communicator, in calls of one kind (or in several kinds of rare ones)."""

    group: int
    kinds: tuple[CallKind, ...]
    us: Array
    """[member] median over the calls: how much later than the middle of the others; below zero for an early one."""
    total_us: Array
    """[member] the same, as often as there were calls."""
    last: Array
    """[member] share of the calls to which it came last."""
    later: Array
    """[member] share of the calls to which it came later than the middle of the others."""
    error_us: Array
    """[member] what the median may be off by, from how the calls differ."""
    typical_us: float
    """What a call takes a rank in the middle, with its waiting."""
    calls: int
    elapsed_us: float
    """From the first call to the last; 0 where nothing tells."""


def lateness_of(number: int, group: TimedGroup, part: slice, fewest: int) -> Iterator[Lateness]:
    """For each kind of call of which there are ``fewest``; rarer ones together, where they are as many. Kinds differ: a
    call that follows another finds all ranks together. ``part``: of the calls of each kind."""
    tables = [calls for calls in group.calls if calls.kind.collective in WAITING]
    rare: list[CallTimes] = []
    for calls in tables:
        if len(of_part(calls.times_us, part)) >= fewest:
            yield _summed(number, [calls], part)
        else:
            rare.append(calls)
    if sum(len(of_part(calls.times_us, part)) for calls in rare) >= fewest:
        yield _summed(number, rare, part)


def of_part(values: Array, part: slice) -> Array:
    """A part of them, in per mille of their number."""
    count = len(values)
    return values[count * part.start // 1000 : count * part.stop // 1000]


def after_the_others(times_us: Array) -> Array:
    """[call, member] how much later than the middle of the other members, from how much less each call took."""
    import numpy as np

    members = times_us.shape[1]
    with np.errstate(all="ignore"):
        if members > _FEW:
            return _median(times_us, 1)[:, None] - times_us
        others = [_median(np.delete(times_us, member, axis=1), 1) for member in range(members)]
        late: Array = np.stack(others, axis=1) - times_us
    return late


def _summed(number: int, tables: Sequence[CallTimes], part: slice) -> Lateness:
    """Calls of one communicator as one."""
    import numpy as np

    times_us = np.concatenate([of_part(calls.times_us, part) for calls in tables])
    late = after_the_others(times_us)
    whole = np.concatenate([calls.recorded for calls in tables])
    ended = np.concatenate([of_part(calls.recorded, part) for calls in tables])
    known = np.isfinite(times_us).sum(axis=0)
    middle = _median(late, 0)
    spread = SIGMAS_PER_MAD * _median(np.abs(late - middle), 0)
    last = _last(times_us, known)
    # A few calls are often written down all at once: then the pace of all tells how long these took.
    elapsed = max(_span_us(ended), _span_us(whole) * len(late) / len(whole))
    return Lateness(
        group=number,
        kinds=tuple(calls.kind for calls in tables),
        us=middle,
        total_us=middle * known,
        last=last,
        later=(late > 0).sum(axis=0) / np.maximum(known, 1),
        error_us=1.25 * spread / np.sqrt(np.maximum(known, 1)),
        typical_us=float(np.nanmedian(times_us)),
        calls=len(late),
        elapsed_us=elapsed,
    )


def _span_us(ended: Array) -> float:
    told = ended[ended > 0]
    return float(told.max() - told.min()) * 1e6 if len(told) else 0.0


def _last(times_us: Array, known: Array) -> Array:
    import numpy as np

    least = np.argmin(np.where(np.isfinite(times_us), times_us, np.inf), axis=1)
    share: Array = np.bincount(least, minlength=times_us.shape[1]) / np.maximum(known, 1)
    return share


def _median(values: Array, axis: int) -> Array:
    """Of those that are known; quick where all are."""
    import numpy as np

    if np.isfinite(values).all():
        middle: Array = np.median(values, axis=axis)
        return middle
    from warnings import catch_warnings, simplefilter

    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # a row of which nothing is known
        known: Array = np.nanmedian(values, axis=axis)
    return known


def sends_lateness(
    groups: Sequence[TimedGroup], numbers: Sequence[int], part: slice, *, shortest: float = 1.0
) -> dict[int, Array]:
    """Of communicators that are alike: group -> [member] microseconds in all by which it waits less than the others,
    each held against the same rank of the others. In a pipeline the ranks wait by design, each in its own way.
    ``shortest``: the share of the calls, from the shortest, that counts for all."""
    import numpy as np

    waits: dict[int, dict[int, float]] = {}
    for number in numbers:
        mine: dict[int, float] = {}
        for sends in groups[number].sends:
            # Their sum, not their middle: a pipeline that is held up waits at some of its microbatches only.
            mine[sends.member] = mine.get(sends.member, 0.0) + _sum(of_part(sends.times_us, part), shortest)
        waits[number] = mine
    usual: dict[int, list[float]] = {}
    for number in numbers:
        for member, total in waits[number].items():
            usual.setdefault(groups[number].members[member].rank, []).append(total)
    middle = {
        rank: float(np.median(totals)) if len(totals) >= _FEWEST_LIKE else np.nan for rank, totals in usual.items()
    }
    found = {}
    for number in numbers:
        members = groups[number].members
        more = np.full(len(members), np.nan)
        for member, total in waits[number].items():
            more[member] = total - middle[members[member].rank]
        if np.isfinite(more).sum() > 1:
            found[number] = after_the_others(more[None, :])[0]
    return found


def _sum(times_us: Array, shortest: float) -> float:
    import numpy as np

    count = int(shortest * len(times_us))
    if not 0 < count < len(times_us):
        return float(times_us.sum())
    return float(np.partition(times_us, count)[:count].sum()) * len(times_us) / count

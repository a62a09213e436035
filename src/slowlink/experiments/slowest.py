"""For whom all wait: the ranks that come later with a factor than without it, far more than the others.

A collective ends when the last rank has come. A rank's lateness is told against the middle rank, so whatever slows all
alike raises nobody's. The rise of each rank is the median over the pairs; a rank stands out by a robust z of 3.5 among
all ranks (Iglewicz and Hoaglin 1993), with a least spread, and by more than the clocks may be off.

A rank that shares its processor is not late: it is slow inside the collective, and all leave that together. So where
the systems tell how long each rank could have run and had no processor, that share is held against the others' alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.averages import fmean, median
from slowlink.experiments.outliers import Z, robust_z
from slowlink.model.experiment import Late, Launched, SlowestRank

FEWEST_RANKS = 3
_LEAST_SHARE = 0.1
"""Of what an iteration takes longer: a rise of less does not explain it."""
_FLOOR_US = 2.0
"""Least spread between ranks: the ordinary jitter of a system call."""
_FLOOR_SHARE, _LEAST_WAIT = 0.02, 0.1
"""Of the ranks' time: the least spread between ranks, and the least rise that is worth a name."""
_STEADY = 0.7
"""Share of the pairs in which a rank that is named comes later."""


def slowest_ranks(off: Sequence[Launched], on: Sequence[Launched]) -> list[SlowestRank]:
    """``off[i]`` and ``on[i]`` belong together. Whole nodes are named as one; the worst first."""
    rises, lasts = _by_rank(off, on)
    if len(rises) < FEWEST_RANKS:
        return []
    return _waiting_ranks(off, on, lasts) or _late_ranks(off, on, rises, lasts)


def _late_ranks(
    off: Sequence[Launched],
    on: Sequence[Launched],
    rises: dict[int, list[float]],
    lasts: dict[int, tuple[float, float]],
) -> list[SlowestRank]:
    middles = {rank: median(values) for rank, values in rises.items()}
    longer = _longer_us(off, on)
    z = dict(zip(middles, robust_z(list(middles.values()), _FLOOR_US), strict=True))
    late = [
        rank
        for rank in middles
        if z[rank] > Z
        and middles[rank] >= _LEAST_SHARE * longer
        and sum(value > 0 for value in rises[rank]) >= _STEADY * len(rises[rank])
    ]
    if not late or len(late) > len(middles) / 2:
        return []  # where most are late, the others are early
    return _by_host(late, middles, z, lasts, _hosts(on))


def _waiting_ranks(
    off: Sequence[Launched], on: Sequence[Launched], lasts: dict[int, tuple[float, float]]
) -> list[SlowestRank]:
    """Ranks that wait for their processor far more than without the factor, where the others do not."""
    pairs = [
        ({late.rank: late.waited_share for late in before.late}, {late.rank: late.waited_share for late in after.late})
        for before, after in zip(off, on, strict=False)
    ]
    told = [
        (before, after)
        for before, after in pairs
        if before.keys() == after.keys() and None not in (*before.values(), *after.values())
    ]
    if not told:
        return []
    without = {rank: median(before[rank] or 0.0 for before, _ in told) for rank in told[0][0]}
    within = {rank: median(after[rank] or 0.0 for _, after in told) for rank in told[0][0]}
    rises = {rank: [(after[rank] or 0.0) - (before[rank] or 0.0) for before, after in told] for rank in without}
    middles = {rank: median(values) for rank, values in rises.items()}
    z = dict(zip(middles, robust_z(list(middles.values()), _FLOOR_SHARE), strict=True))
    found = [
        rank
        for rank in middles
        if z[rank] > Z
        and middles[rank] >= _LEAST_WAIT
        and sum(value > 0 for value in rises[rank]) >= _STEADY * len(rises[rank])
    ]
    if not found or len(found) > len(middles) / 2:
        return []
    named = _by_host(found, middles, z, lasts, _hosts(on))
    waits = [max(each.ranks, key=lambda rank: middles[rank]) for each in named]
    return [
        replace(each, rise_us=0.0, waits=(without[rank], within[rank])) for each, rank in zip(named, waits, strict=True)
    ]


def _by_rank(
    off: Sequence[Launched], on: Sequence[Launched]
) -> tuple[dict[int, list[float]], dict[int, tuple[float, float]]]:
    """Rank -> how much later in each pair, less what the clocks may be off; rank -> how often last, without and with.

    Launches that do not tell of the same ranks are left out.
    """
    pairs = [
        ({late.rank: late for late in before.late}, {late.rank: late for late in after.late})
        for before, after in zip(off, on, strict=False)
    ]
    pairs = [(before, after) for before, after in pairs if before and before.keys() == after.keys()]
    ranks = set.intersection(*(set(before) for before, _ in pairs)) if pairs else set()
    rises = {rank: [_rise(before[rank], after[rank]) for before, after in pairs] for rank in sorted(ranks)}
    lasts = {
        rank: (
            fmean(before[rank].last_share for before, _ in pairs),
            fmean(after[rank].last_share for _, after in pairs),
        )
        for rank in ranks
    }
    return rises, lasts


def _rise(before: Late, after: Late) -> float:
    rise = after.late_us - before.late_us
    error = before.error_us + after.error_us
    return max(0.0, rise - error) if rise > 0 else min(0.0, rise + error)


def _longer_us(off: Sequence[Launched], on: Sequence[Launched]) -> float:
    """By how much a call takes longer, as the mean over sizes."""
    return median(fmean(each.times_us.values()) for each in on) - median(fmean(each.times_us.values()) for each in off)


def _hosts(launches: Sequence[Launched]) -> dict[int, str | None]:
    return {late.rank: late.host for launched in launches for late in launched.late}


def _by_host(
    late: Sequence[int],
    middles: dict[int, float],
    z: dict[int, float],
    lasts: dict[int, tuple[float, float]],
    hosts: dict[int, str | None],
) -> list[SlowestRank]:
    groups: dict[object, list[int]] = {}
    for rank in late:
        groups.setdefault(hosts[rank] or rank, []).append(rank)
    found = []
    for ranks in groups.values():
        worst = max(ranks, key=lambda rank: middles[rank])
        found.append(
            SlowestRank(
                ranks=tuple(ranks),
                host=hosts[worst],
                rise_us=middles[worst],
                last_off=min(1.0, sum(lasts[rank][0] for rank in ranks)),
                last_on=min(1.0, sum(lasts[rank][1] for rank in ranks)),
                z=z[worst],
                count=len(middles),
            )
        )
    return sorted(found, key=lambda each: -each.rise_us)

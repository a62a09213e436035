"""What a process beside the run cost: iterations during which it was at work against the others of the same size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, sqrt
from types import MappingProxyType

from msgspec import Struct, field

from slowlink.averages import median
from slowlink.facts.watched import Span
from slowlink.model.facts import Busy, Sweeps
from slowlink.model.source import Ref

_MOSTLY, _HARDLY = 0.5, 0.05
"""Shares of a row's time: what lies between is neither with the process nor without it."""
_DISK_MBS, _NETWORK_MBS = 500.0, 1000.0
"""A disk on SATA, and a link of 10 Gbit/s."""
_Key = tuple[str, int]
"""(collective, size in bytes): out of place and in place take the same time."""


class Effect(Struct, frozen=True):
    """What processes of one name did to the iterations of the size that suffered most."""

    busy: tuple[Busy, ...]
    slowdown: float
    """Median time with the process over median time without; 1 where no size is clearly slower."""
    interval: tuple[float, float]
    """95 % interval of the slowdown; (1, 1) where no size is clearly slower."""
    excess_us: float
    """What all iterations beside the process took longer than those without, over all sizes that are clearly slower."""
    size_bytes: int
    loaded_us: float
    clear_us: float
    loaded: int
    iterations: int
    ref: Ref

    @property
    def weight(self) -> float:
        """Of processes that were there at the same moments, the one that took more explains more."""
        return self.excess_us * max(1.0 if busy.on_gpu else _share(busy) for busy in self.busy)


def _share(busy: Busy) -> float:
    """Of what one process may take: a core, or as much of a disk or a network as one usually gives."""
    return min(1.0, max(busy.percent / 100, busy.disk_mbs / _DISK_MBS, busy.network_mbs / _NETWORK_MBS))


class _Times(Struct):
    """Iterations of one size, in microseconds."""

    loaded: list[float] = field(default_factory=list)
    clear: list[float] = field(default_factory=list)


def effect_of(
    group: Sequence[Busy], sweeps: Sweeps, fewest: int, rows: Mapping[tuple[str, int], Span] = MappingProxyType({})
) -> Effect | None:
    """Of processes of one name. None when no size has ``fewest`` iterations both with and without them. ``rows``: when
    rows were measured (``facts.watched.windows_of_rows``); where iterations are not known, a row stands for one."""
    spans = _joined(span for busy in group for span in busy.spans)
    times: dict[_Key, _Times] = {}
    refs: dict[_Key, Ref] = {}
    for sweep in sweeps.all:
        for point in sweep.run.points:
            key = (sweep.collective or "", point.size_bytes)
            refs.setdefault(key, point.ref)
            of_size = times.setdefault(key, _Times())
            for began, took in zip(point.iterations_began, point.iterations_us, strict=False):
                (of_size.loaded if _during(began, took, spans) else of_size.clear).append(took)
            window = rows.get((point.ref.source, point.ref.line))
            if window is not None and point.time_us and not point.iterations_us:
                share = _covered(window, spans)
                if share >= _MOSTLY:
                    of_size.loaded.append(point.time_us)
                elif share <= _HARDLY:
                    of_size.clear.append(point.time_us)
    both = {key: found for key, found in times.items() if min(len(found.loaded), len(found.clear)) >= fewest}
    if not both:
        return None
    slower = {key: _slowdown(found) for key, found in both.items() if _is_clear(found)}
    lead = max(both, key=lambda key: slower.get(key, 1.0))
    return Effect(
        busy=tuple(group),
        slowdown=slower.get(lead, 1.0),
        interval=_interval(both[lead]) if lead in slower else (1.0, 1.0),
        excess_us=sum(sum(both[key].loaded) - len(both[key].loaded) * median(both[key].clear) for key in slower),
        size_bytes=lead[1],
        loaded_us=median(both[lead].loaded),
        clear_us=median(both[lead].clear),
        loaded=len(both[lead].loaded),
        iterations=len(both[lead].loaded) + len(both[lead].clear),
        ref=refs[lead],
    )


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Sorted, and without overlaps."""
    found: list[Span] = []
    for since, until in sorted(spans):
        if found and since <= found[-1][1]:
            found[-1] = (found[-1][0], max(until, found[-1][1]))
        else:
            found.append((since, until))
    return found


def _during(began: float, took_us: float, spans: Sequence[Span]) -> bool:
    """Do they overlap? Of spans without overlaps only the last that begins before the iteration's end can."""
    last = bisect_right(spans, (began + took_us / 1e6, float("inf"))) - 1
    return last >= 0 and spans[last][1] > began


def _covered(window: Span, spans: Sequence[Span]) -> float:
    """The share of ``window`` that lies in ``spans``."""
    since, until = window
    inside = sum(max(0.0, min(until, end) - max(since, begin)) for begin, end in spans)
    return inside / (until - since) if until > since else 0.0


def _slowdown(times: _Times) -> float:
    return median(times.loaded) / median(times.clear)


def _is_clear(times: _Times) -> bool:
    """Does the whole interval of the slowdown lie above 1?"""
    return _interval(times)[0] > 1


def _interval(times: _Times) -> tuple[float, float]:
    """Interval of the slowdown, at least 95 %: each median lies between two of its values."""
    (least, most), (low, high) = _around_the_median(times.clear), _around_the_median(times.loaded)
    return low / most, high / least


def _around_the_median(values: Sequence[float]) -> tuple[float, float]:
    """Between these lies the median of all such times, 95 %: order statistics, the binomial in its normal
    approximation; of few values the smallest and the largest."""
    ordered, middle, half = sorted(values), len(values) / 2, 0.98 * sqrt(len(values))
    return ordered[max(0, floor(middle - half) - 1)], ordered[min(len(ordered) - 1, ceil(middle + half))]

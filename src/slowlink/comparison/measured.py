"""Did the same benchmark become slower? Sizes against sizes, repetitions against repetitions.

Bandwidth is judged on the large sizes, where healthy repetitions differ by less than 1 % within a fleet's day and by a
few per cent between launches (docs/physics.md, run-to-run variation); below 256 MiB 2 to 10 % is ordinary. With four
or more launches a side the ratio has a 95 % interval (Mann-Whitney's test inverted: Hodges and Lehmann, 1963). Rows
that one launch repeats are one value: what differs between launches is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.averages import median
from slowlink.expect.stats import interval_of_ratio
from slowlink.model.comparison import MeasuredChange, Outcome
from slowlink.model.report import Report, Sweep
from slowlink.units import format_size

LARGE_SHARE = 16
"""Sizes down to this part of the largest common one count as large."""
SMALL_BYTES = 1024
"""Up to here a time is a latency."""
_STEADY_BYTES = 256 << 20
_MOST_TOLD = 3

_Key = tuple[str, int, int | None, str | None]
_Values = Mapping[int, Sequence[float]]
"""Size in bytes -> values."""


class Tolerances(Struct, frozen=True):
    """Changes up to here are ordinary."""

    busbw: float = 0.05
    """Of large sizes; doubled below 256 MiB."""
    latency: float = 0.3
    margin: float = 0.01
    """With an interval: the whole of it must lie this far from no change."""


def measured_changes(old: Report, new: Report, tolerances: Tolerances) -> tuple[MeasuredChange, ...]:
    """One or two entries for each benchmark that both sides ran; the largest loss first."""
    before, after = _by_key(old), _by_key(new)
    found = [
        change
        for key, sweeps in before.items()
        if key in after
        for change in _of_benchmark(key, sweeps, after[key], tolerances)
    ]
    return tuple(sorted(found, key=lambda change: (change.quantity != "busbw", _gain(change))))


def benchmarks_in_words(report: Report) -> str:
    """``all_reduce on 16 ranks up to 8 GiB``, and the others; "" where nothing was measured."""
    ends: dict[str, int] = {}
    for (collective, nranks, _, _), sweeps in _by_key(report).items():
        sizes = [point.size_bytes for sweep in sweeps for point in sweep.points]
        name = f"{collective} on {nranks} ranks"
        ends[name] = max([ends.get(name, 0), *sizes])
    told = [f"{name} up to {format_size(end)}" for name, end in ends.items() if end]
    rest = f" and {len(told) - _MOST_TOLD} others" if len(told) > _MOST_TOLD else ""
    return ", ".join(told[:_MOST_TOLD]) + rest


def _gain(change: MeasuredChange) -> float:
    """Above 1 is better."""
    return change.ratio if change.quantity == "busbw" else 1 / change.ratio


def _by_key(report: Report) -> dict[_Key, list[Sweep]]:
    found: dict[_Key, list[Sweep]] = {}
    for sweep in report.sweeps:
        if sweep.collective is not None and sweep.nranks is not None and sweep.nranks > 1:
            key = (sweep.collective, sweep.nranks, sweep.nnodes, sweep.datatype)
            found.setdefault(key, []).append(sweep)
    return found


def _of_benchmark(
    key: _Key, old: Sequence[Sweep], new: Sequence[Sweep], tolerances: Tolerances
) -> Iterator[MeasuredChange]:
    bandwidths = _in_both(_values(old, "busbw_gbs"), _values(new, "busbw_gbs"))
    if bandwidths:
        largest = max(bandwidths)
        large = {size: pair for size, pair in bandwidths.items() if size * LARGE_SHARE >= largest}
        tolerance = tolerances.busbw * (1 if largest >= _STEADY_BYTES else 2)
        change = _change(key, "busbw", large, tolerance, tolerances.margin, (old[0], new[0]))
        not_again = _only_in(old, new, largest)
        inner = _inner(not_again, "old", largest) + _inner(_only_in(new, old, largest), "new", largest)
        yield replace(change, basis=change.basis + _ends_early(largest, old, new) + inner, not_again=not_again)
    times = _in_both(_values(old, "time_us"), _values(new, "time_us"))
    small = {size: pair for size, pair in times.items() if 0 < size <= SMALL_BYTES}
    if small:
        yield _change(key, "latency", small, tolerances.latency, tolerances.margin, (old[0], new[0]))


def _values(sweeps: Sequence[Sweep], name: str) -> dict[int, list[float]]:
    """One value for each launch: the median of its rows of a size, in place and out of place."""
    found: dict[int, list[float]] = {}
    for sweep in sweeps:
        rows: dict[int, list[float]] = {}
        for point in sweep.points:
            value = getattr(point, name)
            if value and point.doubt is None and point.size_bytes > 0:
                rows.setdefault(point.size_bytes, []).append(float(value))
        for size, values in rows.items():
            found.setdefault(size, []).append(median(values))
    return found


def _ends_early(largest: int, old: Sequence[Sweep], new: Sequence[Sweep]) -> str:
    """A run that died early is held against the small sizes of the other one: then the large ones are not judged."""
    ends = {side: max(_values(sweeps, "busbw_gbs")) for side, sweeps in (("old", old), ("new", new))}
    further = [f"the {side} one went to {format_size(end)}" for side, end in ends.items() if end > largest]
    return f"; larger sizes are not in both ({', '.join(further)})" if further else ""


def _only_in(one: Sequence[Sweep], other: Sequence[Sweep], largest: int) -> tuple[int, ...]:
    """Large sizes, beside ``largest``, the largest common one, that ``other`` did not measure; the smallest first."""
    sizes = _values(one, "busbw_gbs").keys() - _values(other, "busbw_gbs").keys()
    return tuple(sorted(size for size in sizes if size * LARGE_SHARE >= largest))


def _inner(sizes: Sequence[int], side: str, largest: int) -> str:
    """Those of ``sizes`` that a comparison up to ``largest`` seems to hold."""
    told = [format_size(size) for size in sizes if size < largest]
    more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    return f"; only in the {side} one: {', '.join(told[:_MOST_TOLD])}{more}" if told else ""


def _in_both(old: _Values, new: _Values) -> dict[int, tuple[Sequence[float], Sequence[float]]]:
    return {size: (old[size], new[size]) for size in sorted(old) if size in new}


def _change(
    key: _Key,
    quantity: str,
    pairs: Mapping[int, tuple[Sequence[float], Sequence[float]]],
    tolerance: float,
    margin: float,
    sweeps: tuple[Sweep, Sweep],
) -> MeasuredChange:
    ratios = {size: median(new) / median(old) for size, (old, new) in pairs.items()}
    middle = median(ratios.values())
    typical = min(pairs, key=lambda size: (round(abs(ratios[size] - middle), 9), -size))
    ratio, (typical_old, typical_new) = ratios[typical], pairs[typical]
    interval = interval_of_ratio(*pairs[max(pairs)])
    worse = ratio < 1 if quantity == "busbw" else ratio > 1
    if interval is not None:
        clear = interval[1] < 1 - margin or interval[0] > 1 + margin
        basis = f"95 % interval of the ratio {interval[0]:.3f} to {interval[1]:.3f}, at the largest size"
        clear = clear and abs(ratio - 1) > margin
    else:
        clear = not 1 / (1 + tolerance) <= ratio <= 1 + tolerance
        basis = f"changes up to {tolerance:.0%} are ordinary between launches"
    outcome: Outcome = "same" if not clear else "slower" if worse else "faster"
    collective, nranks, nnodes, datatype = key
    return MeasuredChange(
        collective=collective,
        nranks=nranks,
        nnodes=nnodes,
        datatype=datatype,
        quantity="busbw" if quantity == "busbw" else "latency",
        sizes=tuple(pairs),
        old=median(typical_old),
        new=median(typical_new),
        unit="GB/s" if quantity == "busbw" else "us",
        ratio=ratio,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        outcome=outcome,
        basis=basis,
        old_place=f"{sweeps[0].source}:{sweeps[0].line}",
        new_place=f"{sweeps[1].source}:{sweeps[1].line}",
    )

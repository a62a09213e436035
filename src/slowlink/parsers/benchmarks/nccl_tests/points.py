"""Rows to points: one time unit for the whole table, then every side checked against itself and against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.benchmark import Point
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.nccl_tests.cells import State
from slowlink.parsers.benchmarks.nccl_tests.checks import (
    Ratio,
    cell_ratio,
    consensus,
    decides,
    fits,
    ratio_doubt,
    time_doubt,
)
from slowlink.parsers.benchmarks.nccl_tests.columns import TIME_UNITS_US, Layout
from slowlink.parsers.benchmarks.nccl_tests.rows import Row, Side
from slowlink.units import bandwidth_gbs

_SCALES = (1.0, TIME_UNITS_US["ms"], TIME_UNITS_US["s"])


class Table(Struct, frozen=True):
    """What the rows of one run give: points, torn rows, and whether somebody took numbers out."""

    points: tuple[Point, ...]
    torn: tuple[Ref, ...]
    ratio: Ratio | None
    """busbw/algbw of the whole table."""
    masked: bool


def points_of(rows: Sequence[Row], layout: Layout | None, hypercube_ranks: int | None = None) -> Table:
    """Points of ``rows`` in order, out of place before in place; torn rows keep what can be read.

    ``hypercube_ranks``: the number of ranks when the test is known to be hypercube_perf.
    """
    scale = _time_scale(rows, layout)
    share = (hypercube_ranks - 1) / hypercube_ranks if hypercube_ranks else _size_share(rows, scale)
    ratio = _ratio(rows, scale, share)
    points: list[Point] = []
    torn: list[Ref] = []
    restarts: Counter[tuple[object, ...]] = Counter()
    last: dict[tuple[object, ...], int] = {}
    for row in rows:
        key = (row.datatype, row.redop, row.root)
        if key in last and (row.size < last[key] or (row.size == last[key] and row.size > 0)):
            restarts[key] += 1
        last[key] = row.size
        if row.torn or row.missing or any(side.torn for side in row.sides):
            torn.append(row.ref)
        points += [_point(row, side, restarts[key], scale, share, ratio) for side in row.sides]
    masked = any(cell.state is State.MASKED for row in rows for side in row.sides for cell in side.cells)
    return Table(tuple(points), tuple(torn), ratio, masked)


def _time_scale(rows: Sequence[Row], layout: Layout | None) -> float:
    """Microseconds in the unit of the time column: printed, or the one that makes algbw follow from size and time."""
    if layout is not None and layout.time_unit in TIME_UNITS_US:
        return TIME_UNITS_US[layout.time_unit]
    votes: Counter[float] = Counter()
    for row in rows:
        for side in row.sides:
            if decides(row.size, side.time, side.algbw):
                votes.update(scale for scale in _SCALES if _near(row.size, side, scale))
    return max(_SCALES, key=lambda s: (votes[s], -s))


def _near(size: int, side: Side, scale: float) -> bool:
    """The same order of magnitude: units differ by a thousand, a hypercube's own part by two at most."""
    if not side.time.value or not side.algbw.value:
        return False
    return 0.4 < side.algbw.value / bandwidth_gbs(size, side.time.value * scale) < 2.5


def _size_share(rows: Sequence[Row], scale: float) -> float:
    """The part of the size that algbw counts: 1, but (n-1)/n where it leaves out the own part and is busbw, too: in
    hypercube_perf, and in all_gather_perf and reduce_scatter_perf of nccl-tests 1."""
    shares = []
    for row in rows:
        for side in row.sides:
            if side.time.value and side.algbw.value and decides(row.size, side.time, side.algbw):
                if fits(row.size, side.time, side.algbw, time_unit_us=scale) or side.busbw.value != side.algbw.value:
                    return 1.0
                shares.append(side.algbw.value * side.time.value * scale * 1e3 / row.size)
    if len(shares) < 3:
        return 1.0
    middle = sorted(shares)[len(shares) // 2]
    nranks = round(1 / (1 - middle)) if 0.45 < middle < 0.999 else 0
    if nranks < 2 or any(abs(s - middle) > 0.03 * middle for s in shares):  # every row must say the same
        return 1.0
    return (nranks - 1) / nranks


def _ratio(rows: Sequence[Row], scale: float, share: float) -> Ratio | None:
    ratios = []
    for row in rows:
        for side in row.sides:
            if side.torn or (not side.cpu_time and not _fits(row, side, scale, share)):
                continue
            ratio = cell_ratio(side.algbw, side.busbw)
            if ratio is not None:
                ratios.append(ratio)
    return consensus(ratios)


def _fits(row: Row, side: Side, scale: float, share: float) -> bool:
    return fits(row.size, side.time, side.algbw, time_unit_us=scale, share=share) is not False


def _point(row: Row, side: Side, cycle: int, scale: float, share: float, ratio: Ratio | None) -> Point:
    time_us = side.time.value * scale if side.time.value is not None else None
    return Point(
        size_bytes=row.size,
        count=row.count,
        datatype=row.datatype,
        redop=row.redop,
        root=row.root,
        placement=side.placement,
        time_us=time_us,
        algbw_gbs=side.algbw.value,
        busbw_gbs=side.busbw.value,
        wrong=side.wrong.value,
        ref=row.ref,
        delta=side.delta.value,
        cycle=cycle,
        iteration_stats=side.stats,
        algorithm=row.algorithm,
        protocol=row.protocol,
        nchannels=row.nchannels,
        doubt=_doubt(row, side, time_us, scale, share, ratio),
    )


def _doubt(row: Row, side: Side, time_us: float | None, scale: float, share: float, ratio: Ratio | None) -> str | None:
    doubts = [*row.torn, *side.torn]
    if side.last and row.missing:
        doubts.append("the row is cut off here")
    if (
        time_us is not None
        and side.algbw.value is not None
        and not side.cpu_time
        and not _fits(row, side, scale, share)
    ):
        doubts.append(time_doubt(row.size, time_us, side.algbw.value))
    for name, cell in (("time", side.time), ("algbw", side.algbw), ("busbw", side.busbw)):
        if cell.value is not None and cell.value < 0:
            doubts.append(f"{name} below zero: {cell.value:g}")
        if cell.text.strip(" +-").lower() in ("nan", "inf"):
            doubts.append(f"{name} is {cell.text.strip()}")
    if ratio is not None:
        contradiction = ratio_doubt(side.algbw, side.busbw, ratio)
        if contradiction is not None:
            doubts.append(contradiction)
    return "; ".join(doubts) or None

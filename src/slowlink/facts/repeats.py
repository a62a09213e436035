"""Repeated measurements of one size in one run: repetitions of a row, ``-N`` cycles, or single iterations."""

from __future__ import annotations

from dataclasses import dataclass

from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep
from slowlink.model.source import Ref


@dataclass(frozen=True, slots=True)
class Repeats:
    """Times of the same thing, measured again and again."""

    size_bytes: int
    placement: str
    """``out_of_place``, ``in_place`` or ``both``."""
    times_us: tuple[float, ...]
    busbw_gbs: tuple[float, ...]
    """Same order and length as ``times_us``."""
    refs: tuple[Ref, ...]
    single_iterations: bool
    """Each value is one iteration; otherwise each is already a mean over the benchmark's ``-n`` iterations."""


def repeats(sweep: MeasuredSweep, fewest: int) -> tuple[Repeats, ...]:
    """Groups with at least ``fewest`` values, largest size first.

    Single iterations of a point form a group of their own. Rows of one size are pooled over both placements: a ring
    moves the same bytes either way, and healthy systems differ there by less than two per cent.
    """
    groups = [_iterations(point) for point in sweep.points if len(point.iterations_us) >= fewest]
    rows: dict[int, list[Point]] = {}
    for point in sweep.points:
        if point.time_us:
            rows.setdefault(point.size_bytes, []).append(point)
    for size, points in rows.items():
        repeated = len({point.ref.line for point in points}) > 1
        if repeated and len(points) >= fewest:
            groups.append(_pooled(size, points))
    return tuple(sorted(groups, key=lambda group: -group.size_bytes))


def _iterations(point: Point) -> Repeats:
    times = tuple(time for time in point.iterations_us if time > 0)
    # busbw scales with 1/time; the row's own pair of values carries the factor.
    scale = (point.busbw_gbs or 0.0) * (point.time_us or 0.0)
    return Repeats(
        size_bytes=point.size_bytes,
        placement=point.placement,
        times_us=times,
        busbw_gbs=tuple(scale / time for time in times),
        refs=(point.ref,),
        single_iterations=True,
    )


def _pooled(size: int, points: list[Point]) -> Repeats:
    placements = {point.placement for point in points}
    return Repeats(
        size_bytes=size,
        placement=placements.pop() if len(placements) == 1 else "both",
        times_us=tuple(point.time_us or 0.0 for point in points),
        busbw_gbs=tuple(point.busbw_gbs or 0.0 for point in points),
        refs=tuple(point.ref for point in points),
        single_iterations=False,
    )

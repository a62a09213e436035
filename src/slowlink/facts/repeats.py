"""Repeated measurements of one size in one run: repetitions of a row, ``-N`` cycles, or single iterations."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep
from slowlink.model.source import Ref

LARGE_BYTES = 16 << 20
"""Smaller messages are noisy by nature: 2 to 10 % at 256 MiB and below is ordinary, more below this size."""


class Repeats(Struct, frozen=True):
    """Times of the same thing, measured again and again. All values are above zero."""

    size_bytes: int
    placement: str
    """``out_of_place``, ``in_place`` or ``both``."""
    times_us: tuple[float, ...]
    busbw_gbs: tuple[float, ...]
    """Same order and length as ``times_us``."""
    refs: tuple[Ref, ...]
    single_iterations: bool
    """Each value is one iteration; otherwise each is already a mean over the benchmark's ``-n`` iterations."""

    @property
    def slowest_share(self) -> float:
        """Fastest over slowest time, 1 where all agree."""
        return min(self.times_us) / max(self.times_us)


def repeats(sweep: MeasuredSweep, fewest: int, smallest_bytes: int = LARGE_BYTES) -> tuple[Repeats, ...]:
    """Groups with at least ``fewest`` values of a size of ``smallest_bytes`` or more, largest size first.

    Single iterations of a point form a group of their own. Rows of one size are pooled over both placements: a ring
    moves the same bytes either way, and healthy systems differ there by less than two per cent.
    """
    points = [p for p in sweep.points if p.size_bytes >= smallest_bytes and p.time_us and p.busbw_gbs]
    groups = [_iterations(point) for point in points if point.iterations_us]
    rows: dict[int, list[Point]] = {}
    for point in points:
        rows.setdefault(point.size_bytes, []).append(point)
    for size, same in rows.items():
        if len({point.ref.line for point in same}) > 1:
            groups.append(_pooled(size, same))
    enough = [group for group in groups if len(group.times_us) >= fewest]
    return tuple(sorted(enough, key=lambda group: -group.size_bytes))


def _iterations(point: Point) -> Repeats:
    times = tuple(time for time in point.iterations_us if time > 0)
    if len(times) > 1 and times[0] == max(times):
        times = times[1:]  # the first iteration pays for what is set up then
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

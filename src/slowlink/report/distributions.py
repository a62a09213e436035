"""How iterations, or repeated rows of one size, scatter: one dot for each in order, and a histogram beside it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.report import Report, Sweep
from slowlink.report.drawing import Drawing
from slowlink.report.figures import nice_ceiling
from slowlink.report.sweep_rows import sound
from slowlink.report.wording import count, number
from slowlink.units import format_size

_WIDTH, _HEIGHT = 760.0, 250.0
_LEFT, _TOP, _BOTTOM = 68.0, 10.0, 30.0
_STRIP_RIGHT, _HISTOGRAM_LEFT, _RIGHT = 540.0, 560.0, 744.0
_LEAST_SAMPLES = 5
_BINS = 24
_MAX_DOTS = 2000
_CLEAR_GAP = 1.5
"""Two groups are coloured apart where the nearest values of both differ by this factor: a picture, not a test."""
_MAX_FIGURES = 12


class Distribution(Struct, frozen=True):
    """Samples in order of time."""

    title: str
    unit: str
    noun: str
    values: tuple[float, ...]
    split: float | None
    """A value between two groups that are clearly apart; None where there is one group."""


def distributions(report: Report) -> tuple[Distribution, ...]:
    """Of each sweep with iterations, or with at least five rows of one size, the largest such size."""
    made = (_distribution(sweep) for sweep in report.sweeps)
    return tuple(item for item in made if item is not None)[:_MAX_FIGURES]


def _distribution(sweep: Sweep) -> Distribution | None:
    points = sorted(sound(sweep.points), key=lambda point: point.size_bytes, reverse=True)
    name = f"{sweep.collective or 'unknown collective'} {sweep.source}:{sweep.line}"
    for point in points:
        times = [time / 1e3 for time in point.iterations_us if math.isfinite(time) and time > 0]
        if len(times) >= _LEAST_SAMPLES:
            title = f"Iterations at {format_size(point.size_bytes)}, {name}"
            return Distribution(title, "ms", "iteration", tuple(times), _split(times))
    rows: dict[tuple[int, str], list[float]] = {}
    for point in sorted(points, key=lambda point: point.line):
        if point.busbw_gbs is not None and math.isfinite(point.busbw_gbs) and point.busbw_gbs > 0:
            rows.setdefault((point.size_bytes, point.placement), []).append(point.busbw_gbs)
    repeated = [(len(values), key, values) for key, values in rows.items() if len(values) >= _LEAST_SAMPLES]
    if not repeated:
        return None
    _, (size, placement), values = max(repeated, key=lambda item: (item[0], item[1][0], item[1][1]))
    title = f"Repeated rows at {format_size(size)}, {placement.replace('_', ' ')}, {name}"
    return Distribution(title, "GB/s", "row", tuple(values), _split(values))


def _split(values: Sequence[float]) -> float | None:
    ordered = sorted(values)
    ratio, low, high = max((high / low, low, high) for low, high in itertools.pairwise(ordered))
    return math.sqrt(low * high) if ratio >= _CLEAR_GAP else None


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def caption(item: Distribution) -> str:
    """``28 iterations around 22 ms, 12 around 233 ms`` or ``40 iterations: median 22 ms, from 21 to 24``."""
    if item.split is None:
        low, high = number(min(item.values)), number(max(item.values))
        middle = number(_median(item.values))
        return f"{count(len(item.values), item.noun)}: median {middle} {item.unit}, from {low} to {high}"
    groups = (
        [value for value in item.values if value <= item.split],
        [value for value in item.values if value > item.split],
    )
    first, second = sorted(groups, key=len, reverse=True)
    return (
        f"{count(len(first), item.noun)} around {number(_median(first))} {item.unit}, "
        f"{len(second)} around {number(_median(second))} {item.unit}"
    )


def distribution_svg(item: Distribution) -> str:
    """Dots in order of time on the left, a histogram on the same vertical axis on the right."""
    svg = Drawing(_WIDTH, _HEIGHT, f"{item.title}: {caption(item)}", "distribution")
    top = nice_ceiling(max(item.values))
    height = _HEIGHT - _TOP - _BOTTOM

    def up(value: float) -> float:
        return _TOP + height * (1 - value / top)

    def group(value: float) -> str:
        # Slow is long for times and small for bandwidths.
        if item.split is None:
            return "fast"
        return "slow" if (value > item.split) == (item.unit == "ms") else "fast"

    for step in range(6):
        value = top * step / 5
        unit = f" {item.unit}" if step == 5 else ""
        svg.line(_LEFT, up(value), _RIGHT, up(value), "grid")
        svg.text(_LEFT - 8, up(value) + 4, f"{value:g}{unit}", "tick", "end")
    svg.text(_STRIP_RIGHT, _HEIGHT - 8, f"{item.noun} in order", "axis", "end")
    svg.text(_RIGHT, _HEIGHT - 8, "how many", "axis", "end")
    stride = math.ceil(len(item.values) / _MAX_DOTS)
    for index in range(0, len(item.values), stride):
        value = item.values[index]
        x = _LEFT + 8 + (_STRIP_RIGHT - _LEFT - 16) * (index + 0.5) / len(item.values)
        svg.dot(x, up(value), 2.8, f"dot {group(value)}", f"{index + 1}: {number(value)} {item.unit}")
    bins = [0] * _BINS
    for value in item.values:
        bins[min(int(value / top * _BINS), _BINS - 1)] += 1
    for index, total in enumerate(bins):
        if total:
            width = (_RIGHT - _HISTOGRAM_LEFT) * total / max(bins)
            middle = top * (index + 0.5) / _BINS
            y = up(top * (index + 1) / _BINS)
            svg.rect(_HISTOGRAM_LEFT, y + 0.5, width, height / _BINS - 1, f"bar {group(middle)}", 1)
    return svg.markup()

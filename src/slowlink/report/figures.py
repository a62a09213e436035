"""The busbw curve of a sweep: as numbers, then as a picture for the page."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from slowlink.model.report import Expectation, Report, Sweep, SweepPoint
from slowlink.report.drawing import Drawing
from slowlink.report.sweep_rows import Expected, sound
from slowlink.report.wording import band, duration, number
from slowlink.units import format_size

_WIDTH, _HEIGHT = 760.0, 330.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 68.0, 16.0, 10.0, 46.0
_MAX_CURVES = 24
_Scale = Callable[[float], float]
"""From a value to a place in the picture."""
PLACEMENTS = (("out_of_place", "out of place"), ("in_place", "in place"))
_RADIUS = {"out_of_place": 2.6, "in_place": 4.4}
"""Both are often alike: dashes and rings of the second show the first, which is drawn below."""


class Curve(Struct, frozen=True):
    """Bus bandwidth (GB/s) over message size (bytes), with what was expected."""

    name: str
    title: str
    series: tuple[tuple[str, str, tuple[SweepPoint, ...]], ...]
    """(placement, label, points by size)."""
    expected: Expectation | None
    top: float
    """Highest value of the vertical axis."""
    sizes: tuple[int, ...]


def curves(report: Report) -> tuple[Curve, ...]:
    """A curve for each sweep that has at least two sizes above zero bytes; the first 24 of them."""
    expectations = Expected(report)
    made = (_curve(sweep, expectations) for sweep in report.sweeps)
    return tuple(curve for curve in made if curve is not None)[:_MAX_CURVES]


def _curve(sweep: Sweep, expectations: Expected) -> Curve | None:
    points = [p for p in sound(sweep.points) if p.size_bytes > 0 and math.isfinite(p.busbw_gbs or 0.0)]
    sizes = sorted({point.size_bytes for point in points})
    if len(sizes) < 2:
        return None
    series = []
    for placement, label in PLACEMENTS:
        mine = sorted((p for p in points if p.placement == placement), key=lambda p: p.size_bytes)
        if mine:
            series.append((placement, label, tuple(mine)))
    expected = expectations.of(sweep).get("busbw")
    highest = max(point.busbw_gbs or 0.0 for point in points)
    if expected is not None:
        highest = max(highest, expected.high)
    ranks = f", {sweep.nranks} ranks" if sweep.nranks else ""
    return Curve(
        name=f"{sweep.source}:{sweep.line}",
        title=f"{sweep.collective or 'unknown collective'}{ranks}",
        series=tuple(series),
        expected=expected,
        top=nice_ceiling(highest),
        sizes=tuple(sizes),
    )


def nice_ceiling(value: float) -> float:
    """The next round number with room above the value: 9.4 -> 10, 388 -> 400, 392 -> 500."""
    if value <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(value))
    for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10):
        if value * 1.01 <= step * scale:
            return step * scale
    return 10 * scale * 1.5


def size_ticks(sizes: tuple[int, ...], most: int = 9) -> list[int]:
    """Powers of two that divide the range into at most ``most`` steps."""
    low, high = math.floor(math.log2(sizes[0])), math.ceil(math.log2(sizes[-1]))
    step = max(1, math.ceil((high - low) / most))
    return [1 << power for power in range(low, high + 1, step)]


def _tip(point: SweepPoint) -> str:
    time = f" in {duration(point.time_us)}" if point.time_us is not None else ""
    return f"{format_size(point.size_bytes)}: {number(point.busbw_gbs)} GB/s{time} (line {point.line})"


def curve_svg(curve: Curve) -> str:
    """The picture, in SVG: bandwidth over the logarithm of the size, both placements, the band and the bound.

    Each point says in its title what it is; the page's script shows that of the nearest one.
    """
    svg = Drawing(_WIDTH, _HEIGHT, f"bus bandwidth over message size, {curve.title}", "curve")
    low, high = math.log2(curve.sizes[0]), math.log2(curve.sizes[-1])
    plot_width, plot_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def across(size: float) -> float:
        return _LEFT + 8 + (plot_width - 16) * (math.log2(size) - low) / (high - low)

    def up(value: float) -> float:
        return _TOP + plot_height * (1 - min(max(value, 0.0), curve.top) / curve.top)

    _axes(svg, curve, across, up)
    if curve.expected is not None:
        _expected_band(svg, curve.expected, up)
    for placement, _, points in curve.series:
        path = [(across(point.size_bytes), up(point.busbw_gbs or 0.0)) for point in points]
        svg.polyline(path, f"path {placement}")
        for (x, y), point in zip(path, points, strict=True):
            svg.dot(x, y, _RADIUS[placement], f"dot {placement}", _tip(point))
    return svg.markup()


def _axes(svg: Drawing, curve: Curve, across: _Scale, up: _Scale) -> None:
    for step in range(6):
        value = curve.top * step / 5
        svg.line(_LEFT, up(value), _WIDTH - _RIGHT, up(value), "grid")
        svg.text(_LEFT - 8, up(value) + 4, f"{value:g}", "tick", "end")
    for tick in size_ticks(curve.sizes):
        if curve.sizes[0] <= tick <= curve.sizes[-1]:
            svg.text(across(tick), _HEIGHT - _BOTTOM + 18, format_size(tick), "tick", "middle")
    svg.text(_WIDTH - _RIGHT, _HEIGHT - 8, "message size", "axis", "end")
    svg.upright(14, _TOP + (_HEIGHT - _TOP - _BOTTOM) / 2, "bus bandwidth, GB/s", "axis")


def _expected_band(svg: Drawing, expected: Expectation, up: _Scale) -> None:
    top, bottom = up(expected.high), up(expected.low)
    svg.rect(_LEFT, top, _WIDTH - _LEFT - _RIGHT, max(bottom - top, 1.5), "band")
    svg.line(_LEFT, top, _WIDTH - _RIGHT, top, "bound")
    # Inside the plot, below the band: above it the label could leave the picture.
    svg.text(_LEFT + 8, bottom + 15, f"expected {band(expected)} GB/s", "band-label")

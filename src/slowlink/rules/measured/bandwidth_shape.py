"""The curve over the sizes has a shape that no healthy system has.

busbw rises with the size and stays on a plateau. It must not fall by half towards the largest sizes, must not dip at
one size, and out-of-place and in-place must agree within a few per cent at the plateau.

Why it matters: falling with size is what congestion, pauses and lossy RoCE look like, and thermal limits; a dip at
one size is a wrong switch between algorithms or a moment's interference.
How to confirm: repeat the sweep; a shape that stays is a setting, one that moves is interference.
What to do: for a fall: counters of the links (pause frames, retransmissions) before and after; for a dip:
NCCL_DEBUG_SUBSYS=TUNING shows which algorithm each size takes.
When it is wrong: one bad row in a single run may be noise; it is only noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slowlink.expect.plateau import best_by_size
from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.units import format_size

CAUSES = ("bandwidth-unstable",)


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    smallest_bytes: int = 8 << 20
    """Below, the protocol changes and the curve is not smooth."""
    fall_share: float = 0.5
    """The largest size below this share of the peak is a fall."""
    dip_share: float = 0.6
    """A size below this share of both neighbours is a dip."""
    sides_share: float = 0.75
    """In-place against out-of-place at one large size."""


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """Each sweep over several sizes."""
    for sweep in sweeps.all:
        if sweep.interleaved or (sweep.nranks or 2) < 2:
            continue
        curve = {size: bw for size, bw in sorted(best_by_size(sweep).items()) if size >= params.smallest_bytes}
        if len(curve) < 3:
            continue
        largest, peak_size = max(curve), max(curve, key=lambda size: curve[size])
        if curve[largest] < params.fall_share * curve[peak_size]:
            yield _fall(sweep, curve, peak_size, largest)
        yield from _dips(sweep, curve, params)
        yield from _sides(sweep, peak_size, params)


def _point(sweep: MeasuredSweep, size: int) -> Point:
    points = [point for point in sweep.points if point.size_bytes == size]
    return max(points, key=lambda point: point.busbw_gbs or 0.0)


def _busbw(point: Point | None) -> float | None:
    return point.busbw_gbs if point is not None else None


def _fall(sweep: MeasuredSweep, curve: dict[int, float], peak_size: int, largest: int) -> Finding:
    return finding(
        "bandwidth-unstable",
        f"busbw of {sweep.collective or 'the collective'} falls with the size: from {curve[peak_size]:.1f} GB/s at "
        f"{format_size(peak_size)} to {curve[largest]:.2f} GB/s at {format_size(largest)}",
        severity="error",
        confidence="likely",
        evidence=[
            line_evidence(
                _point(sweep, largest).ref,
                observed=f"{curve[largest]:.2f} GB/s",
                expected=f"{curve[peak_size]:.1f} GB/s",
            ),
            line_evidence(_point(sweep, peak_size).ref, observed=f"{curve[peak_size]:.2f} GB/s"),
        ],
        explains=["busbw-below-expected"],
        remedy=[
            (
                "Read pause frames, discards and retransmissions before and after a run.",
                "rdma statistic show; ethtool -S IFACE | grep -i pause",
            ),
            ("Repeat each size by itself, to tell the size from the moment.", "all_reduce_perf -b 8G -e 8G -N 10"),
        ],
    )


def _dips(sweep: MeasuredSweep, curve: dict[int, float], params: Params) -> Iterator[Finding]:
    sizes = list(curve)
    for before, size, after in zip(sizes, sizes[1:], sizes[2:], strict=False):
        if curve[size] < params.dip_share * min(curve[before], curve[after]):
            yield finding(
                "bandwidth-unstable",
                f"busbw of {sweep.collective or 'the collective'} dips at {format_size(size)}: {curve[size]:.1f} GB/s "
                f"between {curve[before]:.1f} and {curve[after]:.1f}",
                severity="warning",
                confidence="possible",
                evidence=[line_evidence(_point(sweep, size).ref, observed=f"{curve[size]:.2f} GB/s")],
                remedy=[
                    ("Repeat this size; see which algorithm it takes.", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING")
                ],
            )


def _sides(sweep: MeasuredSweep, size: int, params: Params) -> Iterator[Finding]:
    """In-place and out-of-place move the same bytes over the same links; of repeated rows the best counts."""
    best: dict[str, Point] = {}
    for point in sweep.points:
        if point.size_bytes == size and (point.busbw_gbs or 0.0) >= (_busbw(best.get(point.placement)) or 0.0):
            best[point.placement] = point
    out, into = _busbw(best.get("out_of_place")), _busbw(best.get("in_place"))
    if out is None or into is None or min(out, into) >= params.sides_share * max(out, into):
        return
    yield finding(
        "bandwidth-unstable",
        f"out-of-place and in-place differ at {format_size(size)}: {out:.1f} and {into:.1f} GB/s",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(best["out_of_place"].ref, observed=f"{out:.2f} and {into:.2f} GB/s")],
        remedy=[("Repeat the size; a difference that stays is worth a report to NCCL.", "")],
    )

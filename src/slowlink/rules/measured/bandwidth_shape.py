"""The curve over the sizes has a shape that no healthy system has.

busbw rises with the size and stays on a plateau. From 8 MiB on it must not fall below half of its peak at the largest
size, and must not dip below 60 % of both neighbours at one size. Where it is highest, out-of-place and in-place must
agree within a quarter; healthy systems agree there within a few per cent.

Why it matters: falling with the size is what congestion, pauses, lossy RoCE and thermal limits look like. A dip at one
size is a wrong switch between algorithms, or a moment's interference.
How to confirm: repeat the sweep; a shape that stays is a setting, one that moves is interference.
What to do: for a fall, read the counters of the links (pause frames, retransmissions) before and after; for a dip, see
with ``NCCL_DEBUG_SUBSYS=TUNING`` which algorithm each size takes.
When it is wrong: one bad row in a single run may be noise, so a dip, or a difference between out-of-place and
in-place, is a possible warning only.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.expect.plateau import best_by_size
from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.units import format_size

CAUSES = ("bandwidth-unstable",)


class Params(Struct, frozen=True):
    """How much a curve may bend: shares of busbw, over the best value of each size."""

    smallest_bytes: int = 8 << 20
    """8 MiB. Below it NCCL changes between its protocols, and the curve is not smooth."""
    fall_share: float = 0.5
    """busbw of the largest size over the peak; less is a fall. Noise or another algorithm cost less than half."""
    dip_share: float = 0.6
    """busbw of a size over that of the lower of its neighbours; less is a dip."""
    sides_share: float = 0.75
    """Lower over higher of in-place and out-of-place, at the size of the peak; less is a difference."""


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """Each sweep over three sizes or more: one finding for a fall, one for each dip, one for sides that differ."""
    for sweep in sweeps.all:
        if sweep.interleaved or (sweep.nranks or 2) < 2:
            continue  # rows of several runs are mixed, or nothing travels
        curve = {size: bw for size, bw in sorted(best_by_size(sweep).items()) if size >= params.smallest_bytes}
        if len(curve) < 3:
            continue  # no shape
        largest, peak_size = max(curve), max(curve, key=lambda size: curve[size])
        if curve[largest] < params.fall_share * curve[peak_size]:
            yield _fall(sweep, curve, peak_size, largest)
        yield from _dips(sweep, curve, params)
        yield from _sides(sweep, peak_size, params)


def _best_point(sweep: MeasuredSweep, size: int) -> Point:
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
                _best_point(sweep, largest).ref,
                observed=f"{curve[largest]:.2f} GB/s",
                expected=f"{curve[peak_size]:.1f} GB/s",
            ),
            line_evidence(_best_point(sweep, peak_size).ref, observed=f"{curve[peak_size]:.2f} GB/s"),
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
                evidence=[line_evidence(_best_point(sweep, size).ref, observed=f"{curve[size]:.2f} GB/s")],
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
        return  # only one side was measured, or they agree
    yield finding(
        "bandwidth-unstable",
        f"out-of-place and in-place differ at {format_size(size)}: {out:.1f} and {into:.1f} GB/s",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(best["out_of_place"].ref, observed=f"{out:.2f} and {into:.2f} GB/s")],
        remedy=[("Repeat the size; a difference that stays is worth a report to NCCL.", "")],
    )

"""The curve over the sizes has a shape that no healthy system has.

busbw rises with the size and stays on a plateau. From 8 MiB on it must not fall below half of its peak at the largest
size, and must not dip below 60 % of what both a smaller and a larger size give. No size takes longer than a larger one
by more than a quarter: what held it up was gone when the larger one ran. Between 64 KiB and 8 MiB, where protocols
change, only three and a half times as long is told. Where busbw is highest and on the plateau
(from a quarter of the largest size on), out-of-place and in-place must agree within a quarter; healthy systems agree
there within a few per cent. At other sizes from 128 MiB on one must not be below half of the other.

Why it matters: falling with the size is what congestion, pauses, lossy RoCE and thermal limits look like. A dip at some
sizes is a wrong switch between algorithms, or a while of interference.
How to confirm: repeat the sweep; a shape that stays is a setting, one that moves is interference.
What to do: for a fall, read the counters of the links (waits for credits on InfiniBand, pause frames on Ethernet,
retransmissions) before and after; for a dip, see with ``NCCL_DEBUG_SUBSYS=TUNING`` which algorithm each size takes.
When it is wrong: one bad row in a single run may be noise, so a dip, or a difference between out-of-place and
in-place, is a possible warning only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from slowlink.expect.latency import SMOOTH_BYTES
from slowlink.expect.plateau import PLATEAU_SPAN, best_by_placement, best_by_size, worse_side_share
from slowlink.model.benchmark import Point
from slowlink.model.facts import Hardware, MeasuredSweep, Network, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import Step, finding, line_evidence
from slowlink.rules.evidence.link_layers import Layer, LinkLayers, link_layers
from slowlink.rules.evidence.messages import counted
from slowlink.rules.measured.remedies import PAIRWISE, congestion
from slowlink.units import format_size

CAUSES = ("bandwidth-unstable",)

_AGAIN = Step("Repeat this size: a dip that stays is a setting, one that moves is interference.")
_WITH_ITS_ALGORITHM = Step(
    "Repeat this size; see which algorithm it takes.", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING"
)


class Params(Struct, frozen=True):
    """How much a curve may bend: shares of busbw, over the best value of each size."""

    smallest_bytes: int = SMOOTH_BYTES
    """8 MiB. Below it NCCL changes between its protocols, and the curve is not smooth."""
    fall_share: float = 0.5
    """busbw of the largest size over the peak; less is a fall. Noise or another algorithm cost less than half."""
    dip_share: float = 0.6
    """busbw of a size over the lower of the best of smaller and the best of larger sizes; less is a dip."""
    longer: float = 1.25
    """Time of a size over that of a larger one; more is a hold-up."""
    small_bytes: int = 64 << 10
    """64 KiB: from here to ``smallest_bytes`` only ``much_longer`` counts. Below, a run's first calls may be slow."""
    much_longer: float = 3.5
    """As ``longer``, for small sizes: the change from one protocol to the next costs up to three times the time. Seven
    times (1 MiB in 1.4 ms, 2 MiB in 0.2 ms) were measured where the network's plug-in answered late."""
    sides_share: float = 0.75
    """Lower over higher of in-place and out-of-place, at the peak and on the plateau; less is a difference."""
    sides_share_elsewhere: float = 0.5
    """The same at other sizes from ``smallest_sides_bytes`` on, where one row in a run may be held up."""
    smallest_sides_bytes: int = 128 << 20
    """128 MiB. A call takes a millisecond and more: what holds one of many up for less leaves no factor of two."""


def check(
    sweeps: Sweeps, network: Network | None, hardware: Hardware | None, ports: LinkLayers | None, params: Params
) -> Iterator[Finding]:
    """Each sweep over three sizes or more: one finding for a fall, one for each dip, one for sides that differ."""
    for sweep in sweeps.all:
        if sweep.interleaved or (sweep.nranks or 2) < 2:
            continue  # rows of several runs are mixed, or nothing travels
        best = sorted(best_by_size(sweep).items())
        curve = {size: bw for size, bw in best if size >= params.smallest_bytes and bw > 0}
        if len(curve) < 3:
            continue  # no shape
        largest, peak_size = max(curve), max(curve, key=lambda size: curve[size])
        if curve[largest] < params.fall_share * curve[peak_size]:
            yield _fall(sweep, curve, peak_size, largest, link_layers(network, hardware, ports))
        yield from _small_sizes(sweep, dict(best), params)
        yield from _dips(sweep, curve, params)
        yield from _sides(sweep, curve, params)


def _best_point(sweep: MeasuredSweep, size: int) -> Point:
    points = [point for point in sweep.points if point.size_bytes == size]
    return max(points, key=lambda point: point.busbw_gbs or 0.0)


def _fall(
    sweep: MeasuredSweep, curve: dict[int, float], peak_size: int, largest: int, layers: Collection[Layer]
) -> Finding:
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
        title="Bandwidth falls with the size",
        remedy=[
            *(congestion(layers) if sweep.nnodes != 1 else ()),
            Step(
                "Repeat the size by itself, to tell the size from the moment.",
                command(as_benchmark(sweep.collective), "-b", str(largest), "-e", str(largest), "-N", "10"),
            ),
        ],
    )


def _dips(sweep: MeasuredSweep, curve: dict[int, float], params: Params) -> Iterator[Finding]:
    """One finding for each row of sizes that stand below smaller and larger ones, or that a larger one overtakes."""
    sizes = list(curve)
    low: list[int] = []
    for index, size in enumerate(sizes):
        before = max((curve[other] for other in sizes[:index]), default=0.0)
        after = max((curve[other] for other in sizes[index + 1 :]), default=0.0)
        overtaken = any(params.longer * other / curve[other] < size / curve[size] for other in sizes[index + 1 :])
        if curve[size] < params.dip_share * min(before, after) or overtaken:
            low.append(size)
        elif low:
            yield _dip(sweep, curve, low)
            low = []


def _small_sizes(sweep: MeasuredSweep, best: dict[int, float], params: Params) -> Iterator[Finding]:
    """A note on small sizes that take much longer than a larger one; the largest sizes do not feel it. ``best``: GB/s
    by size, ascending."""
    times = {size: size / bandwidth for size, bandwidth in best.items() if bandwidth > 0}
    slow = [
        (size, larger)
        for size in times
        if params.small_bytes <= size < params.smallest_bytes
        for larger in times
        if larger > size and times[size] > params.much_longer * times[larger]
    ]
    if not slow:
        return
    size, larger = max(slow, key=lambda pair: times[pair[0]] / times[pair[1]])
    yield finding(
        "bandwidth-unstable",
        f"{sweep.collective or 'the collective'} takes {times[size] / times[larger]:.1f} times longer at "
        f"{format_size(size)} than at {format_size(larger)}",
        severity="info",
        confidence="possible",
        evidence=[
            line_evidence(_best_point(sweep, at).ref, observed=f"{best[at]:.2f} GB/s at {format_size(at)}")
            for at in (size, larger)
        ],
        remedy=[_WITH_ITS_ALGORITHM if sweep.collective not in PAIRWISE else _AGAIN],
        title="Small sizes take longer than large ones",
    )


def _dip(sweep: MeasuredSweep, curve: dict[int, float], low: Sequence[int]) -> Finding:
    """``low``: sizes of the dip, one after another; a larger one follows."""
    sizes = list(curve)
    first, after = sizes.index(low[0]), curve[sizes[sizes.index(low[-1]) + 1]]
    before = f"between {curve[sizes[first - 1]]:.1f} and {after:.1f}" if first else f"before {after:.1f}"
    worst = min(low, key=lambda size: curve[size])
    where = format_size(low[0]) + (f" to {format_size(low[-1])}" if len(low) > 1 else "")
    return finding(
        "bandwidth-unstable",
        f"busbw of {sweep.collective or 'the collective'} dips at {where}: {curve[worst]:.1f} GB/s {before}",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(_best_point(sweep, worst).ref, observed=f"{curve[worst]:.2f} GB/s")],
        remedy=[_AGAIN if sweep.collective in PAIRWISE else _WITH_ITS_ALGORITHM],
        title="Bandwidth dips at some sizes",
    )


def _sides(sweep: MeasuredSweep, curve: dict[int, float], params: Params) -> Iterator[Finding]:
    """One finding for all sizes at which in-place and out-of-place differ; the largest of them is told."""
    largest, peak_size = max(curve), max(curve, key=lambda size: curve[size])
    sides = best_by_placement(sweep)
    differ = []
    for size in curve:
        flat = size == peak_size or size * PLATEAU_SPAN >= largest
        if not flat and size < params.smallest_sides_bytes:
            continue
        share = worse_side_share(sides[size])
        if share < (params.sides_share if flat else params.sides_share_elsewhere):
            differ.append(size)
    if not differ:
        return
    best = sides[max(differ)]
    out, into = (best[side].busbw_gbs or 0.0 for side in ("out_of_place", "in_place"))
    more = f", and at {counted(len(differ) - 1, 'smaller size')}" if len(differ) > 1 else ""
    yield finding(
        "bandwidth-unstable",
        f"out-of-place and in-place differ at {format_size(max(differ))}: {out:.1f} and {into:.1f} GB/s{more}",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(best["out_of_place"].ref, observed=f"{out:.2f} and {into:.2f} GB/s")],
        title="Out-of-place and in-place differ",
        remedy=[("Repeat the size; a difference that stays is worth a report to NCCL.", "")],
    )

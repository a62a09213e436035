"""One rank, or every rank of one node, comes late to each collective.

A collective ends when the last rank has come. The probe times every iteration on every rank. Here the ranks are
compared by how much later than the middle rank they began, as the median over the iterations of one point (a size, in
or out of place). A rank is late at a point when that is more than 3.5 standard deviations of the ranks, which are
estimated from the median absolute deviation (MAD), and at least a tenth of an iteration.

Why it matters: all ranks wait for the late one, and a table of averages shows only that everything is slow.
How to confirm: run the probe again with another rank order: a late node stays late, a late position in the ring moves.
On GPUs, compare clocks, power and temperature of the late GPU with its neighbours.
What to do: see what else runs on that node or GPU; drain it if it stays late.
When it is wrong: broadcast, reduce and sendrecv let ranks run ahead of one another, so they are not judged. Clocks of
different hosts agree only within the error that the file states, which is taken off first (docs/probe.md, "Clocks").
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import MADS_PER_SIGMA, median, median_deviation
from slowlink.model.benchmark import RankLateness
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.units import format_size

CAUSES = ("straggler-gpu", "straggler-node")

_SYNCHRONISING = frozenset({"all_reduce", "all_gather", "reduce_scatter", "alltoall"})
"""Collectives in which every rank waits for all others."""
"""Median absolute deviation of a normal distribution with a standard deviation of 1."""
_REMEDY = (
    ("See what else runs there.", "top -b -n 1 | head -20"),
    ("Measure again, every iteration on every rank.", "slowlink run all_reduce --benchmark probe"),
)


class Params(Struct, frozen=True):
    """When a rank is late at a point. z = 0.6745 x (its lateness - the middle rank's - clock error) / MAD."""

    fewest_iterations: int = 10
    """Iterations of a point; with fewer, single interruptions move the median."""
    fewest_ranks: int = 4
    """With fewer ranks nothing shows which one differs."""
    z: float = 3.5
    """Robust z above which a rank is late (Iglewicz and Hoaglin 1993)."""
    mad_floor_us: float = 2.0
    """Least MAD between ranks, in microseconds: the ordinary jitter of a system call."""
    least_share: float = 0.1
    """Lateness over the time of an iteration; less costs nothing worth a finding."""
    steady_share: float = 0.5
    """Share of the judged points at which a straggler is late; a moment's interruption is at one or two."""


class _Point(Struct, frozen=True):
    """All ranks at one size, in or out of place."""

    ranks: Sequence[RankLateness]
    iteration_us: float
    """Median over the iterations."""


class _Late(Struct, frozen=True):
    """A rank that was late at one point."""

    entry: RankLateness
    iteration_us: float


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """One finding for each sweep that has the times of all ranks. That no rank is late proves nothing about links."""
    for sweep in sweeps.all:
        points = _points(sweep, params)
        if not points:
            continue  # no probe, too few iterations or ranks, or a collective that does not make ranks wait
        late = [_late_ranks(point, params) for point in points]
        counts = Counter(entry.entry.rank for found in late for entry in found)
        steady = sorted(rank for rank, count in counts.items() if count >= params.steady_share * len(points))
        ranks = points[0].ranks
        if steady and len(steady) <= len(ranks) // 2:  # where most are late, the others are early
            yield _finding(sweep, steady, ranks, [entry for found in late for entry in found], len(points))


def _points(sweep: MeasuredSweep, params: Params) -> list[_Point]:
    """The points that can be judged."""
    if sweep.collective not in _SYNCHRONISING:
        return []
    times = {(p.size_bytes, p.placement): median(p.iterations_us) for p in sweep.points if p.iterations_us}
    groups: dict[tuple[int, str], list[RankLateness]] = defaultdict(list)
    for entry in sweep.run.lateness:
        if entry.iterations >= params.fewest_iterations:
            groups[entry.size_bytes, entry.placement].append(entry)
    return [_Point(g, times[key]) for key, g in groups.items() if len(g) >= params.fewest_ranks and key in times]


def _late_ranks(point: _Point, params: Params) -> list[_Late]:
    values = [entry.median_us for entry in point.ranks]
    middle = median(values)
    spread = max(median_deviation(values), params.mad_floor_us)
    return [
        _Late(entry, point.iteration_us)
        for entry in point.ranks
        if MADS_PER_SIGMA * (entry.median_us - middle - entry.clock_error_us) / spread > params.z
        and entry.median_us - middle >= params.least_share * point.iteration_us
    ]


def _finding(
    sweep: MeasuredSweep, steady: Sequence[int], ranks: Sequence[RankLateness], late: Sequence[_Late], points: int
) -> Finding:
    chosen = {*steady}
    mine = [entry for entry in late if entry.entry.rank in chosen]
    worst = max(mine, key=lambda found: found.entry.median_us / found.iteration_us)
    host_of = {entry.rank: entry.host for entry in ranks}
    hosts = {host_of[rank] for rank in steady}
    node = _whole_node(steady, host_of)
    named = f"rank {steady[0]}" if len(steady) == 1 else f"ranks {listed([str(rank) for rank in steady])}"
    on = f" on {listed(sorted(host for host in hosts if host))}" if any(hosts) else ""
    entry = worst.entry
    message = (
        f"{named}{on} began {sweep.collective} late in most iterations at "
        f"{len({(e.entry.size_bytes, e.entry.placement) for e in mine})} of {points} points: at "
        f"{format_size(entry.size_bytes)} by {entry.median_us:.0f} us (99 %: {entry.p99_us:.0f} us) where an iteration "
        f"takes {worst.iteration_us:.0f} us, and last of all in {entry.last_share:.0%}"
    )
    evidence = [line_evidence(entry.ref, observed=f"rank {entry.rank}: {entry.median_us:.0f} us after the middle rank")]
    explains = ["busbw-below-expected", "bandwidth-unstable"]
    if node is not None:
        return finding(
            "straggler-node",
            f"{node}: {message}",
            severity="error",
            confidence="likely",
            evidence=evidence,
            suspects=suspects("node", [node]),
            explains=explains,
            remedy=_REMEDY,
        )
    return finding(
        "straggler-gpu",
        message,
        severity="error",
        confidence="likely",
        evidence=evidence,
        suspects=[
            *suspects("rank", [str(rank) for rank in steady]),
            *suspects("node", sorted(host for host in hosts if host) if len(set(host_of.values())) > 1 else ()),
        ],
        explains=explains,
        remedy=_REMEDY,
    )


def _whole_node(steady: Sequence[int], host_of: dict[int, str | None]) -> str | None:
    """The node whose ranks are exactly the late ones, where there are other nodes."""
    hosts = {host_of[rank] for rank in steady}
    host = next(iter(hosts))
    everyone = [rank for rank, other in host_of.items() if other == host]
    alone = len(hosts) == 1 and host is not None and len(set(host_of.values())) > 1
    return host if alone and sorted(everyone) == list(steady) else None

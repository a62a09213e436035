"""One rank, or every rank of one node, comes late to each collective.

A collective ends when the last rank has come. The probe times every iteration on every rank; here the ranks are
compared by how much later than the middle rank they began, iteration by iteration.

Why it matters: all ranks wait for the late one, and a table of averages shows only that everything is slow.
How to confirm: run the probe again with another rank order: a late node stays late, a late position in the ring moves.
On GPUs, compare clocks, power and temperature of the late GPU with its neighbours.
What to do: see what else runs on that node or GPU; drain it if it stays late.
When it is wrong: broadcast, reduce and sendrecv let ranks run ahead of one another, so they are not judged. Clocks of
different hosts agree only within what the file states; less than that is no lateness.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from slowlink.model.benchmark import RankLateness
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.units import format_size

CAUSES = ("straggler-gpu", "straggler-node")

_SYNCHRONISING = frozenset({"all_reduce", "all_gather", "reduce_scatter", "alltoall"})
_PROBABLE_ERROR = 0.6745
_REMEDY = (
    ("See what else runs there.", "top -b -n 1 | head -20"),
    ("Measure again, every iteration on every rank.", "slowlink run all_reduce --benchmark probe"),
)


@dataclass(frozen=True)
class Params:
    """Tolerances."""

    fewest_iterations: int = 10
    """Iterations of one point below which it is not judged."""
    fewest_ranks: int = 4
    """With fewer ranks nobody can say which one differs."""
    z: float = 3.5
    """Robust z (Iglewicz and Hoaglin 1993) above which a rank is late."""
    mad_floor_us: float = 2.0
    """Least spread between ranks: ordinary jitter of a system call."""
    least_share: float = 0.1
    """Lateness below this share of the iteration's time costs nothing worth a finding."""
    steady_share: float = 0.5
    """A rank is a straggler when it is late in at least this share of the points that are judged."""


@dataclass(frozen=True, slots=True)
class _Late:
    """A rank that was late at one point, and what that was out of."""

    entry: RankLateness
    iteration_us: float


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """Each sweep that has per-rank times, over all of its points. That no rank is late proves nothing about links."""
    for sweep in sweeps.all:
        points = _points(sweep, params)
        if not points:
            continue
        late = [_late_ranks(ranks, time_us, params) for ranks, time_us in points]
        counts = Counter(entry.entry.rank for found in late for entry in found)
        steady = sorted(rank for rank, count in counts.items() if count >= params.steady_share * len(points))
        nranks = len(points[0][0])
        if steady and len(steady) <= nranks // 2:
            yield _finding(sweep, steady, points[0][0], [entry for found in late for entry in found], len(points))


def _points(sweep: MeasuredSweep, params: Params) -> list[tuple[list[RankLateness], float]]:
    """Per point: its ranks, and the time of one iteration."""
    if sweep.collective not in _SYNCHRONISING:
        return []
    times = {(p.size_bytes, p.placement): median(p.iterations_us) for p in sweep.points if p.iterations_us}
    groups: dict[tuple[int, str], list[RankLateness]] = defaultdict(list)
    for entry in sweep.run.lateness:
        if entry.iterations >= params.fewest_iterations:
            groups[entry.size_bytes, entry.placement].append(entry)
    return [(g, times[key]) for key, g in groups.items() if len(g) >= params.fewest_ranks and key in times]


def _late_ranks(ranks: Sequence[RankLateness], iteration_us: float, params: Params) -> list[_Late]:
    values = [entry.median_us for entry in ranks]
    middle = median(values)
    spread = max(median(abs(value - middle) for value in values), params.mad_floor_us)
    return [
        _Late(entry, iteration_us)
        for entry in ranks
        if _PROBABLE_ERROR * (entry.median_us - middle - entry.clock_error_us) / spread > params.z
        and entry.median_us - middle >= params.least_share * iteration_us
    ]


def _finding(
    sweep: MeasuredSweep, steady: Sequence[int], ranks: Sequence[RankLateness], late: Sequence[_Late], points: int
) -> Finding:
    mine = [entry for entry in late if entry.entry.rank in steady]
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

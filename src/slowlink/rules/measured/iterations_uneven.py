"""Single iterations of one size differ far more than their average shows.

With ``-I 1`` nccl-tests prints, beside the average of each row, the fastest and the slowest iteration (i_min, i_max),
the time that 99 % stay below, and the spread (i_cv%, standard deviation over mean). Healthy systems repeat a large
collective within one per cent (docs/physics.md, "Run-to-run variation"). Of each sweep the largest size of 16 MiB or
more that has these columns is judged, out of place and in place by themselves.

Why it matters: an average row of 370 GB/s hides an iteration that takes five times as long, and a job of thousands of
iterations pays for each of them. All ranks wait for the slowest, so one rank is enough.
How to confirm: ``-J file.json`` keeps every iteration, and the times of every process; repeat with ``-n 100``.
What to do: find what runs at the same time; compare the processes, then read the counters of their links.
When it is wrong: the first iteration pays for what is set up then (``-K 1`` leaves it out). Where one iteration alone
would explain the spread, confidence is only likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from msgspec import Struct

from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.facts.repeats import LARGE_BYTES
from slowlink.model.benchmark import Point
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.units import format_size

CAUSES = ("bandwidth-unstable",)


class Params(Struct, frozen=True):
    """When iterations differ too much: fastest over slowest, and the spread in % of the mean."""

    slow_share: float = 0.8
    """Fastest over slowest iteration; uneven below this. Healthy ones reach 0.99, and 0.9 below 256 MiB."""
    grave_cv_percent: float = 10.0
    """Spread from which it is an error. Healthy systems have 0.1 to 1 %; the ordinary 2 to 10 % of sizes below 256 MiB
    stay below it."""
    steady_share: float = 0.95
    """From this share on the iterations agree, which is worth saying."""
    smallest_bytes: int = LARGE_BYTES
    """16 MiB; smaller messages are noisy by nature."""


class _Uneven(Struct, frozen=True):
    """What a row tells of its iterations, in microseconds."""

    point: Point
    fastest: float
    slowest: float
    cv_percent: float
    lone: bool
    """One slow iteration among equal ones would give this spread."""

    @property
    def share(self) -> float:
        return self.fastest / self.slowest


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding | Proof]:
    """The more uneven side of the largest size of each sweep that has such columns and not the times themselves."""
    for sweep in sweeps.all:
        rows = [_uneven(p, sweep) for p in sweep.points if _judged(p, params)] if not sweep.interleaved else []
        if not rows:
            continue
        largest = max(row.point.size_bytes for row in rows)
        worst = min((row for row in rows if row.point.size_bytes == largest), key=lambda row: row.share)
        if worst.share < params.slow_share:
            yield _finding(sweep, worst, params)
        elif worst.share >= params.steady_share:
            size = format_size(largest)
            yield Proof(f"single iterations of {size} agree within {1 - worst.share:.1%}", weight=0, measured=True)


def _judged(point: Point, params: Params) -> bool:
    """Times themselves say more, and ``bandwidth-unstable`` judges them."""
    stats = point.iteration_stats
    known = 0 < stats.get("min_us", 0.0) <= stats.get("max_us", 0.0)
    return known and not point.iterations_us and point.size_bytes >= params.smallest_bytes


def _uneven(point: Point, sweep: MeasuredSweep) -> _Uneven:
    stats = point.iteration_stats
    fastest, slowest, cv = stats["min_us"], stats["max_us"], stats.get("cv_pct", 0.0)
    iterations = sweep.run.parameters.get("iters", sweep.run.parameters.get("iterations", ""))
    count = int(iterations) if iterations.isascii() and iterations.isdecimal() and len(iterations) < 10 else 20
    mean = stats.get("avg_us") or point.time_us or fastest
    # The spread of count - 1 equal times and one other.
    alone = (slowest - fastest) * sqrt((1 - 1 / max(count, 1)) / max(count, 1))
    return _Uneven(point, fastest, slowest, cv, cv / 100 * mean <= 1.1 * alone)


def _finding(sweep: MeasuredSweep, row: _Uneven, params: Params) -> Finding:
    grave = row.cv_percent >= params.grave_cv_percent and not on_cpu_memory(sweep.run)
    size = format_size(row.point.size_bytes)
    return finding(
        "bandwidth-unstable",
        f"single iterations of {sweep.collective or 'the collective'} at {size} take from {row.fastest:g} to "
        f"{row.slowest:g} us ({row.slowest / row.fastest:.1f} times as long), with a spread of {row.cv_percent:g} %",
        severity="error" if grave else "warning",
        confidence="likely" if row.lone else "certain",
        evidence=[
            line_evidence(
                row.point.ref,
                observed=f"{row.fastest:g} to {row.slowest:g} us, spread {row.cv_percent:g} %",
                expected="iterations that agree within a few per cent",
            )
        ],
        explains=["average-hides-variation", "busbw-below-expected"],
        remedy=[
            (
                "Keep the times of every iteration of every process, without the first.",
                _keep_times(sweep, row.point.size_bytes),
            ),
            ("See what else runs on the GPUs meanwhile.", "nvidia-smi pmon -c 10"),
        ],
    )


def _keep_times(sweep: MeasuredSweep, size: int) -> str:
    options = ("-b", str(size), "-e", str(size), "-n", "100", "-I", "1", "-K", "1", "-J", "times.json")
    return command(as_benchmark(sweep.collective), *options)

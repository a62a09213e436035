"""The sizes tested never reach the bandwidth plateau.

A collective reaches its bandwidth only on large messages, where latency weighs little. Most single nodes are within
10 % of their plateau from 512 MiB on, systems with NVLS or EFA from 2 to 8 GiB on. A sweep that ends below 1 GiB is
reported when its last two sizes, extended by the curve of docs/physics.md ("Sizes and latency"), stay below 90 % of
the plateau.

Why it matters: 128 MiB shows a healthy H100 node at 83 % and a healthy A100 node at 75 %. A threshold fails there for
nothing.
How to confirm: the last rows still rise from one size to the next.
What to do: sweep further: ``-b 8M -e 8G -f 2``.
When it is wrong: small sizes are right for measuring latency.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.expect.plateau import best_by_size, reaches_plateau
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.units import format_size

CAUSES = ("size-too-small",)


def check(sweeps: Sweeps) -> Iterator[Finding]:
    """One finding for each complete sweep over several sizes that still rises at its end."""
    for sweep in sweeps.all:
        sizes = best_by_size(sweep)
        comparable = sweep.complete and sweep.collective is not None and not sweep.interleaved
        if comparable and (sweep.nranks or 0) > 1 and _rises(sizes) and not reaches_plateau(sweep):
            yield _finding(sweep, max(sizes))


def _rises(busbw: Mapping[int, float]) -> bool:
    """Is the largest size the fastest? A curve that falls has another fault, and larger sizes would not show more."""
    return len(busbw) > 1 and max(busbw, key=lambda size: (busbw[size], -size)) == max(busbw)


def _finding(sweep: MeasuredSweep, largest: int) -> Finding:
    last = max(sweep.points, key=lambda point: point.size_bytes)
    return finding(
        "size-too-small",
        f"the largest size of {sweep.collective} is {format_size(largest)}, where busbw still rises: the plateau was "
        "not measured",
        severity="info",
        confidence="likely",
        evidence=[line_evidence(last.ref, observed=f"{last.busbw_gbs:.2f} GB/s at {format_size(largest)}")],
        remedy=[
            (
                "Sweep to sizes that reach the plateau.",
                command(as_benchmark(sweep.collective), "-b", "8M", "-e", "8G", "-f", "2"),
            )
        ],
    )

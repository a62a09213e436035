"""The sizes tested never reach the bandwidth plateau.

A collective reaches its bandwidth only on large messages: latency weighs less and less. Within 10 % of the plateau
are most single nodes from 512 MiB, NVLS and EFA systems from 2 to 8 GiB.

Why it matters: 128 MiB shows a healthy H100 node at 83 % and a healthy A100 node at 75 %; thresholds fail there for
nothing.
How to confirm: the last rows still rise from one size to the next.
What to do: sweep further: ``-b 8M -e 8G -f 2``.
When it is wrong: for latency the small sizes are the right ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.expect.plateau import best_by_size, reaches_plateau
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.units import format_size

CAUSES = ("size-too-small",)


def check(sweeps: Sweeps) -> Iterator[Finding]:
    """Complete sweeps over several sizes that still rise at the end."""
    for sweep in sweeps.all:
        sizes = best_by_size(sweep)
        comparable = sweep.complete and sweep.collective is not None and not sweep.interleaved
        if comparable and (sweep.nranks or 0) > 1 and len(sizes) > 1 and not reaches_plateau(sweep):
            yield _finding(sweep, max(sizes))


def _finding(sweep: MeasuredSweep, largest: int) -> Finding:
    last = max(sweep.points, key=lambda point: point.size_bytes)
    return finding(
        "size-too-small",
        f"the largest size of {sweep.collective} is {format_size(largest)}, where busbw still rises: the plateau was "
        "not measured",
        severity="info",
        confidence="likely",
        evidence=[line_evidence(last.ref, observed=f"{last.busbw_gbs:.2f} GB/s at {format_size(largest)}")],
        remedy=[("Sweep to sizes that reach the plateau.", f"{sweep.collective}_perf -b 8M -e 8G -f 2")],
    )

"""Launches of one benchmark give different results.

Launches are runs of one collective on the same hosts with the same ranks, command, settings and versions. They are
compared at the largest size of 16 MiB or more that all of them have. Healthy systems repeat it within one per cent, and
within ten at sizes below 256 MiB (docs/physics.md, "Run-to-run variation").

Why it matters: each launch draws anew what a run keeps: the paths through the fabric, the placement of buffers and
threads, who else is at work. A single launch is one draw, good or bad.
How to confirm: five more launches; compare them with single iterations of one launch (``-I 1``).
What to do: where launches differ and iterations agree, look at what a launch draws (routes, rails, NUMA placement);
where iterations differ, too, at what comes and goes (other processes, congestion, flapping links).
When it is wrong: somebody changed a setting between them and the log does not show it. With two launches it is a
warning only; three or more are an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.facts import Commands, Environment, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.rules.measured.launches import Launch, launches
from slowlink.units import format_size

CAUSES = ("bandwidth-unstable",)


class Params(Struct, frozen=True):
    """When launches differ: slowest over fastest busbw."""

    slow_share: float = 0.9
    """Below this they differ; what is ordinary at any size ends here."""
    steady_share: float = 0.97
    """From this share on they agree, which is worth saying."""
    enough: int = 3
    """Launches from which it is an error: of two, one may have met a moment's interference."""


def check(
    sweeps: Sweeps, commands: Commands | None, environment: Environment | None, params: Params
) -> Iterator[Finding | Proof]:
    """Each group of launches by itself."""
    for group in launches(sweeps, commands, environment):
        slowest, fastest = (pick(group, key=lambda launch: launch.busbw_gbs) for pick in (min, max))
        share = slowest.busbw_gbs / fastest.busbw_gbs if fastest.busbw_gbs else 1.0
        if share < params.slow_share:
            yield _finding(group, slowest, fastest, params)
        elif share >= params.steady_share and len(group) >= params.enough:
            size = format_size(slowest.point.size_bytes)
            yield Proof(f"{len(group)} launches of {size} agree within {1 - share:.1%}", weight=0, measured=True)


def _finding(group: Sequence[Launch], slowest: Launch, fastest: Launch, params: Params) -> Finding:
    sweep, size = slowest.sweep, slowest.point.size_bytes
    grave = len(group) >= params.enough and not on_cpu_memory(sweep.run)
    options = ("-b", str(size), "-e", str(size), "-n", "100")
    return finding(
        "bandwidth-unstable",
        f"{len(group)} launches of {sweep.collective} on the same {sweep.nranks} ranks differ by "
        f"{1 - slowest.busbw_gbs / fastest.busbw_gbs:.0%} at {format_size(size)}: {slowest.busbw_gbs:.1f} to "
        f"{fastest.busbw_gbs:.1f} GB/s",
        severity="error" if grave else "warning",
        confidence="likely",
        evidence=[
            line_evidence(
                slowest.point.ref,
                observed=f"{slowest.busbw_gbs:.2f} GB/s",
                expected=f"{fastest.busbw_gbs:.2f} GB/s, as another launch",
            ),
            line_evidence(fastest.point.ref, observed=f"{fastest.busbw_gbs:.2f} GB/s"),
        ],
        explains=["average-hides-variation"],
        remedy=[
            (
                "Launch it five times more, with the times of single iterations.",
                command(as_benchmark(sweep.collective), *options, "-I", "1"),
            ),
            ("See what else runs on the nodes meanwhile.", "nvidia-smi pmon -c 10"),
        ],
    )

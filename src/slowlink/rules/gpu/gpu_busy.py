"""Another process works on the GPUs while collectives run.

A diagnostic (dcgmi diag, EUD, nvvs), a burn-in or a stray job takes compute, memory bandwidth and NVLink for moments.
A collective waits for its slowest GPU, so one GPU that is busy for a moment stalls all of them. The finding needs two
things in one log: the command of such a test, and right after it a run whose repetitions of one size differ too much.

Why it matters: "it uses only 10 % of the GPU" can cost about half of the bandwidth: if one iteration in eight runs at a
tenth of the speed, the mean is halved.
How to confirm: ``nvidia-smi pmon`` or ``dcgmi`` on every node while the benchmark runs; iterations fall into fast and
slow ones.
What to do: stop the process, keep diagnostics out of running jobs (epilog, drained nodes), measure again.
When it is wrong: the diagnostic ended before the measurement, and something else makes the bandwidth unsteady.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct

from slowlink.catalog.programs.stress_tests import is_stress_test
from slowlink.facts.repeats import Repeats, repeats
from slowlink.model.facts import Commands, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.units import format_size

CAUSES = ("gpu-busy",)


class Params(Struct, frozen=True):
    """When a run swings, judged over the repetitions of one size (16 MiB or more)."""

    fewest: int = 6
    """Repetitions of one size needed before a run can be called unsteady; fewer may all be slow or all be fast."""
    slow_share: float = 0.8
    """Fastest over slowest time; a run swings below this. Healthy repetitions differ by less than 1 %, mere tuning
    noise was seen at 0.9."""


def check(commands: Commands, sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """A stress command and, after it in the same source, a run whose repetitions swing."""
    runs: dict[str, dict[int, list[MeasuredSweep]]] = {}
    for sweep in sweeps.all:
        runs.setdefault(sweep.run.source, {}).setdefault(sweep.run.header.line, []).append(sweep)
    starts = {source: sorted(of_line) for source, of_line in runs.items()}
    steady: set[tuple[str, int]] = set()
    for command in (c for c in commands.all if _is_stress(c)):
        source = command.ref.source
        below = starts.get(source, [])
        place = bisect_right(below, command.ref.line)
        if place == len(below) or (source, below[place]) in steady:
            continue
        steady.add((source, below[place]))  # unless one of them swings
        after = runs[source][below[place]]
        swinging = next((group for s in after if (group := _swing(s, params))), None)
        if swinging is not None:
            yield _finding(command, swinging)
            return


def _is_stress(command: Command) -> bool:
    """``dcgmi diag`` anywhere in the command (behind sudo, say), or a stress test that it starts."""
    words = [word.rsplit("/", 1)[-1] for word in command.argv]
    if command.program == "dcgmi" or "dcgmi" in words:
        return "diag" in words
    return any(is_stress_test(word) for word in (command.program, *words[:1]))


def _swing(sweep: MeasuredSweep, params: Params) -> Repeats | None:
    """The largest size whose repetitions differ too much."""
    groups = repeats(sweep, params.fewest)
    return next((group for group in groups if group.slowest_share < params.slow_share), None)


def _finding(command: Command, group: Repeats) -> Finding:
    slow, fast = min(group.busbw_gbs), max(group.busbw_gbs)
    slowest = group.refs[0 if group.single_iterations else group.busbw_gbs.index(slow)]
    what = " ".join(command.argv[:5]) or command.program
    everywhere = " on all nodes" if command.everywhere else ""
    return finding(
        "gpu-busy",
        f"a GPU diagnostic was started{everywhere} before the collective was measured ({what}): busbw swings between "
        f"{slow:.0f} and {fast:.0f} GB/s at {format_size(group.size_bytes)}",
        severity="error",
        confidence="likely",
        suspects=suspects("process", [command.program]),
        evidence=[
            line_evidence(command.ref, observed="a stress test of the GPUs"),
            line_evidence(
                slowest,
                observed=f"{slow:.2f} GB/s",
                expected=f"{fast:.0f} GB/s, as other rows of this run",
            ),
        ],
        explains=[
            "bandwidth-bimodal",
            "bandwidth-unstable",
            "average-hides-variation",
            "busbw-below-expected",
        ],
        remedy=[
            (
                "See what runs on the GPUs of every node while the benchmark runs.",
                "nvidia-smi pmon -c 5; pgrep -a 'nvvs|dcgm'",
            ),
            ("Stop the diagnostic on every node, and measure again.", ""),
        ],
    )

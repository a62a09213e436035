"""Repeated measurements of one size differ far more than they should.

Healthy systems repeat a large collective within one per cent (docs/physics.md, "Run-to-run variation"). When the times
of one size differ by tens of per cent, or fall into a fast and a slow group, something comes and goes: another process
on a GPU, a flapping link, congestion. Of each sweep the largest size of 16 MiB or more that has six values is judged.

Why it matters: a benchmark prints the mean over many iterations. Times add up, so the mean follows the slow ones: one
iteration in eight at a tenth of the speed halves it. A single averaged row cannot show that.
How to confirm: time single iterations (``-I 1`` of nccl-tests 2.19.2 or newer), or many short runs (``-N 50 -n 1``).
What to do: find what runs at the same time (``nvidia-smi pmon``, job epilogs, monitoring); read the counters of the
links before and after.
When it is wrong: ranks of the probe on CPU memory share their cores with everything else, so there it is a warning
only. Two groups are certain only when the dip test, which needs 20 values, says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.averages import fmean
from slowlink.expect.stats import Modality, harmonic_mean, modality
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.facts.repeats import LARGE_BYTES, Repeats, repeats
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Evidence, Finding, Severity
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.units import format_size

CAUSES = ("bandwidth-bimodal", "average-hides-variation", "bandwidth-unstable")
DENIES = ("bandwidth-unstable", "bandwidth-bimodal")

_REMEDY = (
    ("Time single iterations, on the same nodes.", "all_reduce_perf -b 8G -e 8G -n 100 -I 1"),
    ("See what else runs on the GPUs meanwhile.", "nvidia-smi pmon -c 10"),
)
_REMEDY_CPU = (
    ("Repeat with fewer ranks than cores, on an idle machine.", "slowlink run all_reduce -n 2 --repeat 5"),
    ("See what else runs meanwhile.", "top -b -n 1 | head -15"),
)


class Params(Struct, frozen=True):
    """When repetitions of one size differ too much: fastest over slowest time, which is slowest over fastest busbw."""

    fewest: int = 6
    """Values of one size below which nothing is said; fewer may all be slow or all be fast."""
    smallest_bytes: int = LARGE_BYTES
    """16 MiB; smaller messages are noisy by nature."""
    slow_share: float = 0.8
    """Unsteady below this share. Healthy repetitions reach 0.99, and 0.9 below 256 MiB."""
    steady_share: float = 0.95
    """From this share on the repetitions agree, which is a proof; between the two nothing is said."""


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding | Proof]:
    """For the largest repeated size of each sweep, findings where it is unsteady, or a proof where it is steady."""
    for sweep in sweeps.all:
        groups = repeats(sweep, params.fewest, params.smallest_bytes)
        if not groups or sweep.interleaved:
            continue  # nothing was repeated often enough, or the rows of several runs are mixed
        group = groups[0]
        share = group.slowest_share
        if share < params.slow_share:
            yield from _unsteady(sweep, group)
        elif share >= params.steady_share:
            yield Proof(
                f"{len(group.times_us)} repeats at {format_size(group.size_bytes)} agree within {1 - share:.1%}",
                weight=0,
                measured=True,
            )


def _unsteady(sweep: MeasuredSweep, group: Repeats) -> Iterator[Finding]:
    """Two groups, a wide spread, or both where the groups are not clear; and what an average would have hidden."""
    slow, fast = min(group.busbw_gbs), max(group.busbw_gbs)
    size = format_size(group.size_bytes)
    count = len(group.times_us)
    what = "iterations" if group.single_iterations else "values"
    shape = modality(group.times_us)
    evidence = _extremes(group)
    if shape.result in ("two-groups", "perhaps-two-groups"):
        yield _two_groups(sweep, group, shape, evidence)
    if shape.result != "two-groups":
        yield finding(
            "bandwidth-unstable",
            f"{count} {what} of {_name(sweep)} at {size} swing between {_rate(slow)} and {_rate(fast)} GB/s",
            severity=_severity(sweep),
            confidence="certain",
            evidence=evidence,
            explains=["average-hides-variation", "busbw-below-expected"],
            remedy=_remedy(sweep),
        )
    yield _hidden(sweep, group, evidence)


def _severity(sweep: MeasuredSweep) -> Severity:
    """Ranks on CPU memory share their cores with everything else."""
    return "warning" if on_cpu_memory(sweep.run) else "error"


def _remedy(sweep: MeasuredSweep) -> Sequence[tuple[str, str]]:
    return _REMEDY_CPU if on_cpu_memory(sweep.run) else _REMEDY


def _two_groups(sweep: MeasuredSweep, group: Repeats, shape: Modality, evidence: list[Evidence]) -> Finding:
    assert shape.fast_us is not None
    assert shape.slow_us is not None
    assert shape.slow_share is not None
    scale = group.busbw_gbs[0] * group.times_us[0]
    few = f"{shape.count} values, too few for the dip test"
    tested = f"dip test p = {shape.dip_p:.2g}" if shape.dip_p is not None else few
    proven = shape.result == "two-groups" and shape.tested
    return finding(
        "bandwidth-bimodal",
        f"{_name(sweep)} at {format_size(group.size_bytes)} falls into two groups: about "
        f"{_rate(scale / shape.fast_us)} GB/s, "
        f"and {shape.slow_share:.0%} of the {'iterations' if group.single_iterations else 'values'} near "
        f"{_rate(scale / shape.slow_us)} GB/s ({tested})",
        severity=_severity(sweep),
        confidence="certain" if proven else "likely" if shape.result == "two-groups" else "possible",
        evidence=evidence,
        explains=["bandwidth-unstable", "average-hides-variation", "busbw-below-expected"],
        remedy=_remedy(sweep),
    )


def _hidden(sweep: MeasuredSweep, group: Repeats, evidence: list[Evidence]) -> Finding:
    """What an averaged run over the same time would have printed."""
    mean = harmonic_mean(group.busbw_gbs)
    plain = fmean(group.busbw_gbs)
    return finding(
        "average-hides-variation",
        f"one averaged row of {_name(sweep)} would show {_rate(mean)} GB/s (times add up; the plain mean of these "
        f"values is {_rate(plain)}) and hide values from {_rate(min(group.busbw_gbs))} to "
        f"{_rate(max(group.busbw_gbs))}",
        severity="info",
        confidence="certain",
        evidence=evidence,
    )


def _rate(busbw_gbs: float) -> str:
    """Whole GB/s, but two decimals where hosts without GPUs move little."""
    return f"{busbw_gbs:.0f}" if busbw_gbs >= 10 else f"{busbw_gbs:.2f}"


def _name(sweep: MeasuredSweep) -> str:
    return sweep.collective or "the collective"


def _extremes(group: Repeats) -> list[Evidence]:
    """The slowest and the fastest line."""
    if group.single_iterations:
        return [line_evidence(group.refs[0], observed=f"{min(group.busbw_gbs):.1f} to {max(group.busbw_gbs):.1f} GB/s")]
    order = sorted(range(len(group.refs)), key=lambda index: group.busbw_gbs[index])
    fastest = f"{group.busbw_gbs[order[-1]]:.2f} GB/s"
    return [
        line_evidence(group.refs[order[0]], observed=f"{group.busbw_gbs[order[0]]:.2f} GB/s", expected=fastest),
        line_evidence(group.refs[order[-1]], observed=fastest),
    ]

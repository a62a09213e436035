"""Settings that matter on this fabric are at their defaults.

The same test ran with and without settings such as NCCL_MIN_NCHANNELS, NCCL_IB_QPS_PER_CONNECTION or
NCCL_P2P_NET_CHUNKSIZE, and ran clearly better with them. Commands and headings of tables tell with which; else what
the input names between two runs is only a hint.

Why it matters: on multi-rail RoCE and InfiniBand a single queue pair per connection loads the links unevenly; 392
against 337 GB/s was seen on the same four nodes.
How to confirm: run both ways in turn (A B B A) on the same nodes; one launch each proves nothing, because launches
differ too.
What to do: put the settings into the job's environment, or /etc/nccl.conf, where the gain is confirmed.
When it is wrong: something else changed between the two runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.facts.around_runs import AllByLine
from slowlink.model.facts import Commands, Environment, MeasuredSweep, Sweeps
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_assignment, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.software.compared_settings import Compared, compared
from slowlink.units import format_size

CAUSES = ("tuning-missing",)

_TUNING = (
    "NCCL_MIN_NCHANNELS",
    "NCCL_MIN_CTAS",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_IB_SPLIT_DATA_ON_QPS",
    "NCCL_P2P_NET_CHUNKSIZE",
    "NCCL_BUFFSIZE",
    "NCCL_IGNORE_CPU_AFFINITY",
    "NCCL_NCHANNELS_PER_NET_PEER",
    "NCCL_CROSS_NIC",
)


class Params(Struct, frozen=True):
    """Which gain is worth a word."""

    gain: float = 1.05
    """Peak busbw of the better run over that of the worse one. Repetitions on a healthy system differ by less than 1 %,
    launches by more."""
    sure_gain: float = 1.1
    """The same where commands or headings tell what was set: launches of a healthy system differ less."""


def check(sweeps: Sweeps, environment: Environment, commands: Commands | None, params: Params) -> Iterator[Finding]:
    """The greatest gain that was measured; else two runs of one test whose peaks differ, with tuning settings written
    between them."""
    gains = [each for each in compared(sweeps, commands, environment) if each.share >= params.sure_gain]
    if gains:
        yield _measured(max(gains, key=lambda each: each.share))
    else:
        yield from _between(sweeps, environment, params)


def _between(sweeps: Sweeps, environment: Environment, params: Params) -> Iterator[Finding]:
    settings = [s for s in (*environment.settings, *environment.advised) if s.name in _TUNING and s.origin != "plugin"]
    of_source = AllByLine(settings, lambda setting: setting.ref)
    first_line: dict[tuple[str, str, str], int] = {}
    for s in settings:
        key = s.ref.source, s.name, s.value
        first_line[key] = min(s.ref.line, first_line.get(key, s.ref.line))
    for first, second in zip(sweeps.all, sweeps.all[1:], strict=False):
        source, end = first.run.source, _last_line(first)
        # Between the end of the first run and the end of the second, which prints what the library was given.
        below = of_source.between(source, end, _last_line(second)) if source == second.run.source else []
        between = [s for s in below if first_line[source, s.name, s.value] > end]
        if between and _same_test(first, second):
            best, worst = sorted((first, second), key=lambda s: -(s.peak_busbw_gbs or 0.0))
            if (best.peak_busbw_gbs or 0.0) >= params.gain * (worst.peak_busbw_gbs or 1.0):
                yield _finding(best, worst, between)


def _measured(each: Compared) -> Finding:
    high, low = each.changed, each.plain
    without = "without it" if len(each.settings) == 1 else "without them"
    return finding(
        "tuning-missing",
        f"{high.sweep.collective or 'the test'} of {format_size(high.point.size_bytes)} reaches {high.busbw_gbs:.1f} "
        f"GB/s with {each.words} and {low.busbw_gbs:.1f} {without}: {each.share - 1:.0%} more",
        severity="error",
        confidence="likely",
        suspects=suspects("setting", [name for name, _ in each.settings]),
        evidence=[
            line_evidence(
                low.point.ref,
                observed=f"{low.busbw_gbs:.2f} GB/s",
                expected=f"{high.busbw_gbs:.2f} GB/s, with {each.words}",
            ),
            line_evidence(high.point.ref, observed=f"{high.busbw_gbs:.2f} GB/s"),
        ],
        explains=("busbw-below-expected", "bandwidth-unstable", "hardware-unknown"),
        remedy=[
            (
                "Put it into the job's environment, and measure both ways in turn on the same nodes.",
                command(*(as_assignment(name, value) for name, value in each.settings)),
            )
        ],
    )


def _last_line(run: MeasuredSweep) -> int:
    return (run.run.end or run.run.header).line


def _same_test(a: MeasuredSweep, b: MeasuredSweep) -> bool:
    """Same collective, ranks and sizes."""
    sizes = ({p.size_bytes for p in sweep.points} for sweep in (a, b))
    first, second = sizes
    return (a.collective, a.nranks) == (b.collective, b.nranks) and a.nranks is not None and first == second


def _finding(best: MeasuredSweep, worst: MeasuredSweep, between: list[EnvSetting]) -> Finding:
    names = list(dict.fromkeys(f"{s.name}={s.value}" for s in between))
    tried = list(dict.fromkeys(as_assignment(s.name, s.value) for s in between))
    high, low = (max(sweep.points, key=lambda point: point.busbw_gbs or 0.0) for sweep in (best, worst))
    return finding(
        "tuning-missing",
        f"the same test reaches {high.busbw_gbs:.0f} GB/s in one run and {low.busbw_gbs:.0f} in the other; what the "
        f"input names between them is {', '.join(names[:4])}",
        severity="warning",
        confidence="possible",
        suspects=suspects("setting", [s.name for s in between]),
        evidence=[
            line_evidence(low.ref, observed=f"{low.busbw_gbs:.2f} GB/s", expected=f"{high.busbw_gbs:.0f} GB/s"),
            line_evidence(between[0].ref),
        ],
        remedy=[
            (
                "Run both ways in turn on the same nodes, several launches each, and compare.",
                command(*tried[:4]),
            )
        ],
    )

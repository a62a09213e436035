"""The same test was slower with a setting than without it.

Tables that somebody measured with and without one variable, which their commands or the headings above them tell, are
compared at the largest size of 16 MiB or more that both have. Launches of a healthy system differ by less than one
tenth there (docs/physics.md, "Run-to-run variation").

Why it matters: this is a measurement of what the setting does on these nodes, and beats what anybody says of it.
How to confirm: both ways in turn (A B B A), three launches each.
What to do: leave the variable out of the job's environment, module files and nccl.conf.
When it is wrong: something else changed between the two; or the setting was made for this comparison alone, as one that
turns a part off mostly is: that is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.catalog.platforms.settings import TOPOLOGY_FILES
from slowlink.model.facts import Commands, Environment, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.software.compared_settings import Compared, Setting, compared
from slowlink.units import format_size

CAUSES = ("tuning-harmful", "topology-overridden")


class Params(Struct, frozen=True):
    """From when a setting costs something."""

    slow_share: float = 0.9
    """busbw with it over busbw without it."""


def check(
    sweeps: Sweeps, commands: Commands | None, environment: Environment | None, params: Params
) -> Iterator[Finding]:
    """One finding for each setting, or for those that were only measured together: where it costs most."""
    worst: dict[tuple[Setting, ...], Compared] = {}
    for each in compared(sweeps, commands, environment):
        known = worst.get(each.settings)
        if each.share < params.slow_share and (known is None or each.share < known.share):
            worst[each.settings] = each
    alone = {setting for settings in worst if len(settings) == 1 for setting in settings}
    for each in worst.values():
        if len(each.settings) == 1 or alone.isdisjoint(each.settings):
            yield _finding(each)


def _finding(each: Compared) -> Finding:
    slow, fast, names = each.changed, each.plain, [name for name, _ in each.settings]
    without = "without it" if len(names) == 1 else "without them"
    return finding(
        "topology-overridden" if set(names) <= {*TOPOLOGY_FILES} else "tuning-harmful",
        f"{slow.sweep.collective or 'the test'} of {format_size(slow.point.size_bytes)} reaches {slow.busbw_gbs:.1f} "
        f"GB/s with {each.words} and {fast.busbw_gbs:.1f} {without}: {1 - each.share:.0%} less",
        severity="warning" if all(_turns_off(*setting) for setting in each.settings) else "error",
        confidence="likely",
        evidence=[
            line_evidence(
                slow.point.ref, observed=f"{slow.busbw_gbs:.2f} GB/s", expected=f"{fast.busbw_gbs:.2f} GB/s, {without}"
            ),
            line_evidence(fast.point.ref, observed=f"{fast.busbw_gbs:.2f} GB/s"),
        ],
        suspects=suspects("setting", names),
        explains=("busbw-below-expected", "bandwidth-unstable", "hardware-unknown"),
        remedy=[
            ("Look where it is set: the job, module files, nccl.conf.", ""),
            ("Measure with and without.", command("unset", *map(as_variable, names))),
        ],
    )


def _turns_off(name: str, value: str) -> bool:
    return (name.endswith("_DISABLE") and value != "0") or (name.endswith("_ENABLE") and value == "0")

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

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from slowlink.facts.around_runs import AllByLine, ByLine
from slowlink.facts.repeats import LARGE_BYTES
from slowlink.model.benchmark import Point
from slowlink.model.facts import Commands, Environment, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.parsers.forms.carried_variables import is_carried
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.units import format_size

CAUSES = ("tuning-harmful",)

_Settings = frozenset[tuple[str, str]]


class Params(Struct, frozen=True):
    """From when a setting costs something."""

    slow_share: float = 0.9
    """busbw with it over busbw without it."""


class _Measured(NamedTuple):
    """The better side of a run at one size."""

    sweep: MeasuredSweep
    point: Point

    @property
    def busbw_gbs(self) -> float:
        return self.point.busbw_gbs or 0.0


def check(
    sweeps: Sweeps, commands: Commands | None, environment: Environment | None, params: Params
) -> Iterator[Finding]:
    """One finding for each setting: where it costs most."""
    known = _with_known_settings(sweeps, commands, environment)
    without = {(_test(sweep), settings): sweep for sweep, settings in reversed(known)}
    worst: dict[tuple[str, str], tuple[_Measured, _Measured]] = {}
    for sweep, settings in known:
        for setting in settings:
            other = without.get((_test(sweep), settings - {setting}))
            pair = _compared(sweep, other) if other is not None else None
            if pair is not None and _share(pair) < min(params.slow_share, _share(worst.get(setting))):
                worst[setting] = pair
    for (name, value), pair in worst.items():
        yield _finding(name, value, *pair)


def _with_known_settings(
    sweeps: Sweeps, commands: Commands | None, environment: Environment | None
) -> list[tuple[MeasuredSweep, _Settings]]:
    """The runs that a command of their own or a heading of their own stands above, and what these set."""
    started = ByLine(commands.all if commands is not None else (), lambda each: each.ref)
    headings = AllByLine(environment.headings if environment is not None else (), lambda each: each.ref)
    found = []
    above: dict[str, int] = {}
    for sweep in sweeps.all:
        source, first = sweep.run.source, sweep.run.header.line
        command_above = started.above(source, first)
        own = command_above if command_above is not None and command_above.ref.line > above.get(source, 0) else None
        told = headings.between(source, above.get(source, 0), first)
        above[source] = (sweep.run.end or sweep.run.header).line
        if (own or told) and not sweep.interleaved and sweep.points and sweep.nranks:
            found.append((sweep, _settings(own, told)))
    return found


def _settings(started: Command | None, told: list[EnvSetting]) -> _Settings:
    values: Mapping[str, str] = started.env if started is not None else {}
    of_command = {(name, value) for name, value in values.items() if is_carried(name) and value}
    return frozenset(of_command | {(each.name, each.value) for each in told if each.value})


def _test(sweep: MeasuredSweep) -> object:
    """What is measured: of two with one test only the settings may differ."""
    run, first = sweep.run, sweep.points[0]
    return (run.source, run.tool, sweep.collective, sweep.nranks, sweep.nnodes, first.datatype, first.redop)


def _compared(slow: MeasuredSweep, fast: MeasuredSweep) -> tuple[_Measured, _Measured] | None:
    """Both at the largest size that they share; None where there is none large enough."""
    sizes = {point.size_bytes for point in slow.points} & {point.size_bytes for point in fast.points}
    largest = max(sizes, default=0)
    if largest < LARGE_BYTES:
        return None
    return _at(slow, largest), _at(fast, largest)


def _at(sweep: MeasuredSweep, size: int) -> _Measured:
    points = [point for point in sweep.points if point.size_bytes == size]
    return _Measured(sweep, max(points, key=lambda point: point.busbw_gbs or 0.0))


def _share(pair: tuple[_Measured, _Measured] | None) -> float:
    if pair is None or not pair[1].busbw_gbs:
        return 1.0
    return pair[0].busbw_gbs / pair[1].busbw_gbs


def _finding(name: str, value: str, slow: _Measured, fast: _Measured) -> Finding:
    size = format_size(slow.point.size_bytes)
    return finding(
        "tuning-harmful",
        f"{slow.sweep.collective or 'the test'} of {size} reaches {slow.busbw_gbs:.1f} GB/s with {name}={value} and "
        f"{fast.busbw_gbs:.1f} without it: {1 - _share((slow, fast)):.0%} less",
        severity="warning" if _turns_off(name, value) else "error",
        confidence="likely",
        evidence=[
            line_evidence(
                slow.point.ref, observed=f"{slow.busbw_gbs:.2f} GB/s", expected=f"{fast.busbw_gbs:.2f} GB/s, without it"
            ),
            line_evidence(fast.point.ref, observed=f"{fast.busbw_gbs:.2f} GB/s"),
        ],
        suspects=suspects("setting", [name]),
        explains=("busbw-below-expected", "bandwidth-unstable", "hardware-unknown"),
        remedy=[
            ("Look where it is set: the job, module files, nccl.conf.", ""),
            ("Measure with and without.", command("unset", as_variable(name))),
        ],
    )


def _turns_off(name: str, value: str) -> bool:
    return (name.endswith("_DISABLE") and value != "0") or (name.endswith("_ENABLE") and value == "0")

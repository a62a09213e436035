"""Runs of one test that differ by settings alone, as their commands or the headings above them tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from slowlink.facts.around_runs import AllByLine, ByLine
from slowlink.facts.repeats import LARGE_BYTES
from slowlink.model.benchmark import Point
from slowlink.model.facts import Commands, Environment, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.model.nccl import EnvSetting
from slowlink.parsers.forms.carried_variables import is_carried

Setting = tuple[str, str]
_Settings = frozenset[Setting]
_MOST_SETTINGS = 6
"""That two runs may differ by: of more nobody knows which made the difference."""


class Measured(NamedTuple):
    """The better side of a run at one size."""

    sweep: MeasuredSweep
    point: Point

    @property
    def busbw_gbs(self) -> float:
        return self.point.busbw_gbs or 0.0


class Compared(NamedTuple):
    """One test with some settings and without them, at the largest size that both have."""

    settings: tuple[Setting, ...]
    changed: Measured
    plain: Measured

    @property
    def share(self) -> float:
        """busbw with these settings over busbw without."""
        return self.changed.busbw_gbs / self.plain.busbw_gbs if self.plain.busbw_gbs else 1.0

    @property
    def words(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.settings)


def compared(sweeps: Sweeps, commands: Commands | None, environment: Environment | None) -> Iterator[Compared]:
    """Each run beside the one without one of its settings, and beside the one that has only what all have."""
    known = _with_known_settings(sweeps, commands, environment)
    runs = {(_test(sweep), settings): sweep for sweep, settings in reversed(known)}
    shared: dict[object, _Settings] = {}
    for sweep, settings in known:
        shared[_test(sweep)] = shared.get(_test(sweep), settings) & settings
    for sweep, settings in known:
        test = _test(sweep)
        for left in dict.fromkeys((*(settings - {setting} for setting in sorted(settings)), shared[test])):
            other, by = runs.get((test, left)), settings - left
            pair = _at_largest(sweep, other) if other is not None and 0 < len(by) <= _MOST_SETTINGS else None
            if pair is not None:
                yield Compared(tuple(sorted(by)), *pair)


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


def _at_largest(one: MeasuredSweep, other: MeasuredSweep) -> tuple[Measured, Measured] | None:
    """Both at the largest size that they share; None where there is none large enough."""
    sizes = {point.size_bytes for point in one.points} & {point.size_bytes for point in other.points}
    largest = max(sizes, default=0)
    return (_at(one, largest), _at(other, largest)) if largest >= LARGE_BYTES else None


def _at(sweep: MeasuredSweep, size: int) -> Measured:
    points = [point for point in sweep.points if point.size_bytes == size]
    return Measured(sweep, max(points, key=lambda point: point.busbw_gbs or 0.0))

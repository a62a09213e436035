"""Launches of one measurement: the same collective, sizes, ranks, hosts and settings, started again and again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from slowlink.facts.around_runs import ByLine
from slowlink.facts.repeats import LARGE_BYTES
from slowlink.model.benchmark import Point
from slowlink.model.facts import Commands, Environment, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.patterns import regex

_COUNTER = regex(
    r"[-_.]?(?:(?<![A-Za-z0-9])|(?<=run)|(?<=job)|(?<=try)|(?<=rep)|(?<=log)|(?<=out)|(?<=iter)|(?<=test)|(?<=round)"
    r"|(?<=launch)|(?<=attempt))\d+(?![A-Za-z0-9])"
)
"""A number that only counts or dates: ``run-1``, ``slurm-4711.out``, ``run2``; not ``nics4`` nor ``16ch``."""
_SHAPE = ("nThread", "nGpus", "agg iters", "graph", "nthreads", "ngpus", "aggregated_iterations")
"""Parameters of a run that change what it measures."""


class Launch(Struct, frozen=True):
    """What one launch gave at the largest size that all launches of its group have."""

    sweep: MeasuredSweep
    point: Point
    """The better side."""

    @property
    def busbw_gbs(self) -> float:
        return self.point.busbw_gbs or 0.0


def launches(
    swept: Sweeps, commands: Commands | None, environment: Environment | None
) -> tuple[tuple[Launch, ...], ...]:
    """Groups of two or more. Nothing that is known may differ between them: hosts, command, settings, versions, names
    of files but for a number, words above the table. Where hosts are not known, a group stays in one source."""
    groups: dict[object, list[MeasuredSweep]] = defaultdict(list)
    started = ByLine(commands.all if commands is not None else (), lambda command: command.ref)
    settings = _settings(environment)
    for sweep in swept.all:
        if sweep.points and sweep.collective and sweep.nranks and sweep.nranks > 1 and not sweep.interleaved:
            groups[_identity(sweep, started, settings)].append(sweep)
    found = (_compared(group) for group in groups.values() if len(group) > 1)
    return tuple(each for each in found if each)


def _identity(
    sweep: MeasuredSweep, commands: ByLine[Command], settings: Mapping[str, frozenset[tuple[str, str]]]
) -> object:
    run, first = sweep.run, sweep.points[0]
    where = (frozenset(sweep.hosts), _uncounted(run.source)) if sweep.hosts else run.source
    shape = tuple(run.parameters.get(name) for name in _SHAPE)
    how = (first.algorithm, first.protocol, first.nchannels)
    version = sweep.library.version if sweep.library else None
    return (
        *(sweep.collective, sweep.nranks, sweep.nnodes, where, run.tool, first.datatype, first.redop, shape, how),
        *(version, _uncounted(run.caption or ""), _started(sweep, commands), settings.get(run.source)),
    )


def _uncounted(text: str) -> str:
    return _COUNTER.sub("", text)


def _started(sweep: MeasuredSweep, commands: ByLine[Command]) -> object:
    """The command above the run, as it was typed."""
    last = commands.above(sweep.run.source, sweep.run.header.line)
    return (last.argv, tuple(sorted(last.env.items()))) if last is not None else None


def _settings(environment: Environment | None) -> Mapping[str, frozenset[tuple[str, str]]]:
    """Source -> what was set in it, whichever of its runs it was for."""
    found: dict[str, set[tuple[str, str]]] = {}
    for setting in environment.settings if environment is not None else ():
        found.setdefault(setting.ref.source, set()).add((setting.name, setting.value))
    return {source: frozenset(names) for source, names in found.items()}


def _compared(group: Sequence[MeasuredSweep]) -> tuple[Launch, ...]:
    """Empty where they share no size of 16 MiB or more."""
    sizes = [{point.size_bytes for point in sweep.points if point.size_bytes >= LARGE_BYTES} for sweep in group]
    common = set.intersection(*sizes)
    if not common:
        return ()
    largest = max(common)
    return tuple(Launch(sweep, _best(sweep, largest)) for sweep in group)


def _best(sweep: MeasuredSweep, size: int) -> Point:
    return max((p for p in sweep.points if p.size_bytes == size), key=lambda point: point.busbw_gbs or 0.0)

"""One input that holds several jobs, one after another: ``cat a.log b.log``, or a loop over nodes.

It is cut only where its own lines prove it: a benchmark lists all its ranks with their hosts, NCCL logs other hosts or
another benchmark lists them, and neither stands among the lines of the other. Names that differ within one launch are
no proof (somebody took names out), nor are tables alone: a page that compares machines is one text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.jobs.marks import lists_every_rank, short
from slowlink.facts.jobs.model import Entry, entries
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.edges import EdgeColumns
from slowlink.model.nccl import CommInit, LogProcess, NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Ref

K = TypeVar("K")


class _Launch(Struct):
    """Lines of one launch, or of several that cannot be told apart."""

    first: int
    last: int
    hosts: set[str]

    def overlaps(self, other: _Launch) -> bool:
        return self.first <= other.last and other.first <= self.last

    def take(self, other: _Launch) -> None:
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.hosts |= other.hosts


def cut(records: Records) -> list[Entry]:
    """Every record with its input; of inputs that hold several jobs, with the part of it: ``job.log, lines 1-344``."""
    found = entries(records)
    logged = {log.source for log in records.logs if any(process.host for process in log.processes)}
    tabled = {run.source for run in records.runs if lists_every_rank(run)}
    for source in sorted(logged & tabled):
        launches = _launches(
            [run for run in records.runs if run.source == source], [log for log in records.logs if log.source == source]
        )
        if len(launches) > 1:
            commands = [command.ref.line for command in records.commands if command.ref.source == source]
            found = list(_cut(found, source, _parts(source, launches, commands)))
    return found


def _launches(runs: Sequence[CollectiveRun], logs: Sequence[NcclLog]) -> list[_Launch]:
    """In order of lines. What lists no hosts belongs to the launch before it, as a repeat."""
    launches: list[_Launch] = []
    hostless: list[_Launch] = []
    for run in runs:
        lines = run.header.line, max(run.header.line, run.end.line if run.end else 0)
        if lists_every_rank(run):
            _add(launches, _Launch(*lines, {short(device.host) for device in run.devices if device.host}))
        else:
            hostless.append(_Launch(*lines, set()))
    gaps: dict[int, _Launch] = {}
    for host, (first, last) in _lines_of_hosts(logs).items():
        mine = _Launch(first, last, {host})
        if any(launch.overlaps(mine) or host in launch.hosts for launch in launches):
            _add(launches, mine)
        else:
            gap = sum(launch.last < first for launch in launches)
            gaps.setdefault(gap, mine).take(mine)
    for launch in [*gaps.values(), *hostless]:
        _add(launches, launch)
    return _with_hosts(sorted(launches, key=lambda launch: launch.first))


def _add(launches: list[_Launch], new: _Launch) -> None:
    """Adds a launch; those that share hosts or lines with it become one with it."""
    while True:
        other = next((one for one in launches if one.overlaps(new) or not one.hosts.isdisjoint(new.hosts)), None)
        if other is None:
            launches.append(new)
            return
        launches.remove(other)
        new.take(other)


def _with_hosts(launches: Sequence[_Launch]) -> list[_Launch]:
    found: list[_Launch] = []
    for launch in launches:
        if found and not (launch.hosts and found[-1].hosts):
            found[-1].take(launch)
        else:
            found.append(launch)
    return found


def _lines_of_hosts(logs: Sequence[NcclLog]) -> dict[str, tuple[int, int]]:
    """Host -> the first and last line on which something of it begins."""
    lines: dict[str, tuple[int, int]] = {}
    for log in logs:
        for _, item in _items(log):
            _note(lines, getattr(getattr(item, "process", None), "host", None), line_of(item))
        for process, line in log.edges.ends_of_processes():
            _note(lines, process.host, line)
    return lines


def _note(lines: dict[str, tuple[int, int]], host: str | None, line: int) -> None:
    if line and host:
        first, last = lines.get(short(host), (line, line))
        lines[short(host)] = min(first, line), max(last, line)


def _items(log: NcclLog) -> Iterator[tuple[str, Any]]:
    """Everything but the edges, which are columns."""
    for name in NcclLog.__struct_fields__:
        values = getattr(log, name)
        if isinstance(values, tuple):
            for item in values:
                yield name, item


def _placed(log: NcclLog) -> Iterator[tuple[str, Any, LogProcess | None, int]]:
    """Each record by its field, in order, with who logged it and where; of edges, their rows."""
    for name in NcclLog.__struct_fields__:
        values = getattr(log, name)
        if isinstance(values, EdgeColumns):
            for row, (process, line) in enumerate(values.logged()):
                yield name, row, process, line
        elif isinstance(values, tuple):
            for item in values:
                logged_by = item if isinstance(item, LogProcess) else getattr(item, "process", None)
                yield name, item, logged_by, line_of(item)


def line_of(item: Any) -> int:
    """The line that a record begins on; 0 where it has none."""
    if isinstance(item, Ref):
        return item.line
    if isinstance(item, CommInit):
        refs = (item.started, item.completed, item.aborted, item.destroyed)
        return min((ref.line for ref in refs if ref is not None), default=0)
    ref = getattr(item, "header", None) or getattr(item, "ref", None)
    return ref.line if isinstance(ref, Ref) else 0


class _Part(Struct, frozen=True):
    """Lines of an input."""

    name: str
    first: int
    hosts: frozenset[str]


def _parts(source: str, launches: Sequence[_Launch], commands: Sequence[int]) -> list[_Part]:
    """A launch begins with the command that started it, the first below the launch before."""
    starts = [1]
    for before, launch in pairwise(launches):
        starts.append(min((line for line in commands if before.last < line < launch.first), default=launch.first))
    ends = [*(f"{start - 1}" for start in starts[1:]), ""]
    return [
        _Part(
            f"{source}, lines {start}-{end}" if end else f"{source}, from line {start}", start, frozenset(launch.hosts)
        )
        for start, end, launch in zip(starts, ends, launches, strict=True)
    ]


def _cut(found: Sequence[Entry], source: str, parts: Sequence[_Part]) -> Iterator[Entry]:
    for entry in found:
        if entry.part != source:
            yield entry
        elif isinstance(entry.record, NcclLog):
            yield from _cut_log(entry, parts)
        else:
            part = _at(line_of(entry.record), parts)
            yield replace(entry, part=part.name, start=part.first)


def _at(line: int, parts: Sequence[_Part]) -> _Part:
    return next((part for part in reversed(parts) if part.first <= line), parts[0])


def _cut_log(entry: Entry, parts: Sequence[_Part]) -> Iterator[Entry]:
    """NCCL's log of each part: what its hosts logged, and what no host is known of on its lines."""

    def part_of(process: LogProcess | None, line: int) -> _Part:
        host = short(process.host) if process is not None and process.host else None
        return next((part for part in parts if host in part.hosts), None) or _at(line, parts)

    for part, log in parted_log(entry.record, part_of).items():
        yield replace(entry, record=log, part=part.name, start=part.first)


def parted_log(log: NcclLog, part_of: Callable[[LogProcess | None, int], K]) -> dict[K, NcclLog]:
    """NCCL's log of each part. ``part_of``: whose a record is, by who logged it and the line on which it begins."""
    kept: dict[K, dict[str, list[Any]]] = {}
    for name, item, process, line in _placed(log):
        kept.setdefault(part_of(process, line), {}).setdefault(name, []).append(item)
    tuples = {name for name in NcclLog.__struct_fields__ if isinstance(getattr(log, name), tuple)}
    found: dict[K, NcclLog] = {}
    for part, items in kept.items():
        changes: dict[str, Any] = {name: tuple(items.get(name, ())) for name in tuples}
        changes["edges"] = log.edges.only(items.get("edges", ()))
        if found:  # lines were counted over all; they stay counted once
            changes |= {"lines": 0, "unknown": 0}
        found[part] = replace(log, **changes)
    return found

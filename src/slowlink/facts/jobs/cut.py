"""One input that holds several jobs, one after another: ``cat a.log b.log``, or a loop over nodes.

It is cut only where its own lines prove it: a benchmark lists all its ranks with their hosts, NCCL logs other hosts or
another benchmark lists them, and neither stands among the lines of the other. Names that differ within one launch are
no proof (somebody took names out), nor are tables alone: a page that compares machines is one text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.facts.jobs.launches import Launch, Launches
from slowlink.facts.jobs.marks import lists_every_rank, short
from slowlink.facts.jobs.model import Entry, entries
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.edges import EdgeColumns
from slowlink.model.nccl import CommInit, LogProcess, NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Ref

K = TypeVar("K")
Log = TypeVar("Log", CollectiveRun, NcclLog)


def cut(records: Records) -> list[Entry]:
    """Every record with its input; of inputs that hold several jobs, with the part of it: ``job.log, lines 1-344``."""
    logged = {log.source for log in records.logs if any(process.host for process in log.processes)}
    tabled = {run.source for run in records.runs if lists_every_rank(run)}
    both = logged & tabled
    runs, logs = _by_source(records.runs, both), _by_source(records.logs, both)
    commands: dict[str, list[int]] = {}
    for command in records.commands:
        commands.setdefault(command.ref.source, []).append(command.ref.line)
    parts = {
        source: _parts(source, launches, sorted(commands.get(source, ())))
        for source in both
        if len(launches := _launches(runs[source], logs[source])) > 1
    }
    return list(_cut(entries(records), parts))


def _by_source(found: Iterable[Log], sources: Set[str]) -> dict[str, list[Log]]:
    of_source: dict[str, list[Log]] = {source: [] for source in sources}
    for each in found:
        if each.source in of_source:
            of_source[each.source].append(each)
    return of_source


def _launches(runs: Sequence[CollectiveRun], logs: Sequence[NcclLog]) -> list[Launch]:
    """In order of lines. What lists no hosts belongs to the launch before it, as a repeat."""
    launches, hostless = Launches(), list[Launch]()
    for run in runs:
        lines = run.header.line, max(run.header.line, run.end.line if run.end else 0)
        if lists_every_rank(run):
            launches.add(Launch(*lines, {short(device.host) for device in run.devices if device.host}))
        else:
            hostless.append(Launch(*lines, set()))
    gaps: dict[int, Launch] = {}
    for host, (first, last) in _lines_of_hosts(logs).items():
        mine = Launch(first, last, {host})
        if launches.touches(mine):
            launches.add(mine)
        elif (gap := gaps.setdefault(launches.before(first), mine)) is not mine:
            gap.take(mine)
    for launch in [*gaps.values(), *hostless]:
        launches.add(launch)
    return _with_hosts(launches.in_order)


def _with_hosts(launches: Sequence[Launch]) -> list[Launch]:
    found: list[Launch] = []
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


def _parts(source: str, launches: Sequence[Launch], commands: Sequence[int]) -> list[_Part]:
    """A launch begins with the command that started it, the first below the launch before. ``commands``: their lines,
    in order."""
    starts = [1]
    for before, launch in pairwise(launches):
        below = bisect_right(commands, before.last)
        starts.append(min((*commands[below : below + 1], launch.first)))
    ends = [*(f"{start - 1}" for start in starts[1:]), ""]
    return [
        _Part(
            f"{source}, lines {start}-{end}" if end else f"{source}, from line {start}", start, frozenset(launch.hosts)
        )
        for start, end, launch in zip(starts, ends, launches, strict=True)
    ]


def _cut(found: Sequence[Entry], parts: Mapping[str, Sequence[_Part]]) -> Iterator[Entry]:
    for entry in found:
        mine = parts.get(entry.part)
        if mine is None:
            yield entry
        elif isinstance(entry.record, NcclLog):
            yield from _cut_log(entry, mine)
        else:
            part = _at(line_of(entry.record), mine)
            yield replace(entry, part=part.name, start=part.first)


def _at(line: int, parts: Sequence[_Part]) -> _Part:
    return parts[max(0, bisect_right(parts, line, key=lambda part: part.first) - 1)]


def _cut_log(entry: Entry, parts: Sequence[_Part]) -> Iterator[Entry]:
    """NCCL's log of each part: what its hosts logged, and what no host is known of on its lines."""

    of_host = {host: part for part in reversed(parts) for host in part.hosts}

    def part_of(process: LogProcess | None, line: int) -> _Part:
        host = short(process.host) if process is not None and process.host else ""
        return of_host.get(host) or _at(line, parts)

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

"""The records of each job: those of its inputs, and the state of its nodes wherever that was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.facts.jobs.folders import Folders
from slowlink.facts.jobs.grouping import Group
from slowlink.facts.jobs.labels import label_of, shared_folder
from slowlink.facts.jobs.marks import short
from slowlink.facts.jobs.model import Entry, JobRecords
from slowlink.facts.jobs.node_records import of_nodes
from slowlink.facts.placing.places import Places
from slowlink.model.records import Records
from slowlink.model.report import JobKind


class _Part(Struct, eq=False):
    """What goes to one job, or to none."""

    kind: JobKind
    group: Group
    records: dict[str, list[Any]] = field(default_factory=dict)
    sources: dict[str, None] = field(default_factory=dict)
    inputs: dict[str, None] = field(default_factory=dict)
    """The same, where an input holds several jobs the lines of it."""
    nodes: dict[str, None] = field(default_factory=dict)
    """Whose state is among them."""

    def add(self, entry: Entry, record: Any) -> None:
        self.records.setdefault(entry.name, []).append(record)
        self.sources[entry.source] = None
        self.inputs[entry.part] = None

    def named(self, records: Records, folder: str) -> JobRecords:
        stats = tuple(source for source in records.sources if source.path in self.sources)
        hosts = tuple(sorted(self.group.hosts or self.nodes))
        own = self.group.sources if self.kind == "job" else [source.path for source in stats]
        return JobRecords(
            label=label_of(self.kind, self.group.ids, hosts, sorted(path.removeprefix(folder) for path in own)),
            kind=self.kind,
            hosts=hosts,
            sources=tuple(source.path for source in stats),
            records=Records(**{name: tuple(found) for name, found in self.records.items()}, sources=stats),
        )


class _Parts:
    """All jobs, then what is known of other nodes, then the rest."""

    def __init__(self, owners: Mapping[str, Group | None], source_of: Mapping[str, str]) -> None:
        self._of: dict[int, _Part] = {}
        self._by_host: dict[str, list[_Part]] = {}
        self._folders = Folders[_Part]()
        self._owners = owners
        self.state, self.other = _Part("state", Group()), _Part("other", Group())
        for name, group in owners.items():
            part = self.other
            if group is not None:
                part = self._of.get(id(group)) or self._of.setdefault(id(group), _Part("job", group))
                self._folders.add([name], part)
            part.inputs[name] = None
            part.sources[source_of.get(name, name)] = None
        for part in self._of.values():
            for host in part.group.hosts:
                self._by_host.setdefault(host, []).append(part)
        hostless = [part for part in self._of.values() if not part.group.hosts]
        self._elsewhere = hostless[0] if len(hostless) == 1 else self.state

    def __iter__(self) -> Iterator[_Part]:
        yield from self._of.values()
        yield from (self.state, self.other)

    def of_input(self, name: str) -> _Part:
        group = self._owners[name]
        return self._of[id(group)] if group is not None else self.other

    def of_node(self, node: str, source: str) -> list[_Part]:
        """The jobs that ran there; else the one with whose logs its state was kept."""
        found = self._by_host.get(short(node))
        return found or [self._folders.nearest([source]) or self._elsewhere]


def parted(records: Records, found: Sequence[Entry], owners: Mapping[str, Group | None]) -> tuple[JobRecords, ...]:
    """The records of each job, of the state of other nodes, and the rest. ``owners``: whose the inputs are that are not
    about nodes alone; None: nobody's."""
    parts, places = _Parts(owners, {entry.part: entry.source for entry in found}), Places(records)
    nameless: list[Entry] = []
    for entry in found:
        if entry.part in owners:
            parts.of_input(entry.part).add(entry, entry.record)
            continue
        placed = of_nodes(entry.record, places)
        for node, mine in placed:
            for part in parts.of_node(node, entry.source):
                part.add(entry, mine)
                part.nodes.setdefault(node)
        if not placed:
            nameless.append(entry)
    _place_nameless(parts, nameless)
    return _in_order(records, parts, {entry.part: entry.start for entry in found})


def _place_nameless(parts: _Parts, found: Sequence[Entry]) -> None:
    """Records of a node's output that name no node go where the rest of their input went, if that is one place."""
    holders: dict[str, list[_Part]] = {}
    for part in parts:
        for name in part.inputs:
            holders.setdefault(name, []).append(part)
    for entry in found:
        held_by = holders.get(entry.part, [])
        (held_by[0] if len(held_by) == 1 else parts.other).add(entry, entry.record)


def _in_order(records: Records, parts: Iterable[_Part], starts: Mapping[str, int]) -> tuple[JobRecords, ...]:
    """Jobs first, each where its first line stands. What holds nothing and was read to its end is left out."""
    folder = shared_folder([source.path for source in records.sources])
    unread = {source.path for source in records.sources if source.partial}
    numbers = {source.path: number for number, source in enumerate(records.sources)}

    def order(part: _Part) -> tuple[bool, bool, int, int]:
        # A bundle's manifest may name files that are not there.
        first = min((numbers[source] for source in part.sources if source in numbers), default=len(numbers))
        return part.kind != "job", part.kind == "other", first, min(starts.get(name, 0) for name in part.inputs)

    kept = [part for part in parts if part.records or not unread.isdisjoint(part.sources)]
    return _told_apart([part.named(records, folder) for part in sorted(kept, key=order)])


def _told_apart(jobs: Iterable[JobRecords]) -> tuple[JobRecords, ...]:
    """Labels are names: findings refer to them."""
    seen: Counter[str] = Counter()
    found = []
    for job in jobs:
        seen[job.label] += 1
        number = seen[job.label]
        found.append(replace(job, label=f"{job.label} ({number})") if number > 1 else job)
    return tuple(found)

"""The records of each job: those of its inputs, and the state of its nodes wherever that was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slowlink.facts.jobs.folders import Folders
from slowlink.facts.jobs.grouping import Group
from slowlink.facts.jobs.labels import label_of, shared_folder
from slowlink.facts.jobs.marks import short
from slowlink.facts.jobs.model import JobRecords, each_record, source_of
from slowlink.facts.jobs.node_records import of_nodes
from slowlink.facts.places import Places
from slowlink.model.records import Records
from slowlink.model.report import JobKind


@dataclass(slots=True, eq=False)
class _Part:
    """What goes to one job, or to none."""

    kind: JobKind
    group: Group
    records: dict[str, list[Any]] = field(default_factory=dict)
    sources: dict[str, None] = field(default_factory=dict)
    nodes: dict[str, None] = field(default_factory=dict)
    """Whose state is among them."""

    def add(self, name: str, record: Any) -> None:
        self.records.setdefault(name, []).append(record)
        self.sources.setdefault(source_of(record))

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

    def __init__(self, owners: Mapping[str, Group | None]) -> None:
        self._of: dict[int, _Part] = {}
        self._by_host: dict[str, list[_Part]] = {}
        self._folders = Folders[_Part]()
        self._owners = owners
        self.state, self.other = _Part("state", Group()), _Part("other", Group())
        for source, group in owners.items():
            part = self.other
            if group is not None:
                part = self._of.get(id(group)) or self._of.setdefault(id(group), _Part("job", group))
                self._folders.add([source], part)
            part.sources.setdefault(source)
        for part in self._of.values():
            for host in part.group.hosts:
                self._by_host.setdefault(host, []).append(part)
        hostless = [part for part in self._of.values() if not part.group.hosts]
        self._elsewhere = hostless[0] if len(hostless) == 1 else self.state

    def __iter__(self) -> Iterator[_Part]:
        yield from self._of.values()
        yield from (self.state, self.other)

    def of_source(self, source: str) -> _Part:
        group = self._owners[source]
        return self._of[id(group)] if group is not None else self.other

    def of_node(self, node: str, source: str) -> list[_Part]:
        """The jobs that ran there; else the one with whose logs its state was kept."""
        found = self._by_host.get(short(node))
        return found or [self._folders.nearest([source]) or self._elsewhere]


def parted(records: Records, owners: Mapping[str, Group | None]) -> tuple[JobRecords, ...]:
    """The records of each job, of the state of other nodes, and the rest. ``owners``: whose the inputs are that are not
    about nodes alone; None: nobody's."""
    parts, places = _Parts(owners), Places(records)
    nameless: list[tuple[str, Any]] = []
    for name, record in each_record(records):
        source = source_of(record)
        if source in owners:
            parts.of_source(source).add(name, record)
            continue
        placed = of_nodes(record, places)
        for node, mine in placed:
            for part in parts.of_node(node, source):
                part.add(name, mine)
                part.nodes.setdefault(node)
        if not placed:
            nameless.append((name, record))
    _place_nameless(parts, nameless)
    return _in_order(records, parts)


def _place_nameless(parts: _Parts, records: Sequence[tuple[str, Any]]) -> None:
    """Records of a node's output that name no node go where the rest of their input went, if that is one place."""
    holders: dict[str, list[_Part]] = {}
    for part in parts:
        for source in part.sources:
            holders.setdefault(source, []).append(part)
    for name, record in records:
        found = holders.get(source_of(record), [])
        (found[0] if len(found) == 1 else parts.other).add(name, record)


def _in_order(records: Records, parts: Iterable[_Part]) -> tuple[JobRecords, ...]:
    folder = shared_folder([source.path for source in records.sources])
    unread = {source.path for source in records.sources if source.partial}
    named = [part.named(records, folder) for part in parts if part.records or not unread.isdisjoint(part.sources)]
    order = {source.path: number for number, source in enumerate(records.sources)}
    kinds = ("job", "state", "other")
    return tuple(sorted(named, key=lambda job: (kinds.index(job.kind), min(map(order.__getitem__, job.sources)))))

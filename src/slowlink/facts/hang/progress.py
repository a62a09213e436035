"""How far one rank came, from its own dump."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct, field

from slowlink.model.hang import FlightDump, FlightEntry, GroupStatus, ProcessGroup

COMPLETED = "completed"
Stage = Literal["waiting", "done", "absent", "unknown"]


class Groups:
    """The one object for all equal process groups of different dumps."""

    def __init__(self) -> None:
        self._by_value: dict[tuple[str, str, tuple[int, ...]], ProcessGroup] = {}

    def shared(self, group: ProcessGroup) -> ProcessGroup:
        return self._by_value.setdefault((group.name, group.description, group.ranks), group)

    def of(self, dump: FlightDump) -> dict[str, ProcessGroup]:
        """The groups of one process by name, those that only its entries name among them."""
        found = {name: self.shared(group) for name, group in dump.groups.items()}
        for entry in dump.entries:
            if entry.group not in found:
                found[entry.group] = self.shared(ProcessGroup(entry.group, entry.description, ()))
        return found


class Key(NamedTuple):
    """One operation of one group, the same on all its ranks."""

    group: ProcessGroup
    p2p: bool
    seq: int


class Progress(Struct):
    """The operations of one rank by number, and what it has not finished."""

    dump: FlightDump
    oldest: FlightEntry | None = None
    unfinished: dict[Key, FlightEntry] = field(default_factory=dict)
    known: dict[Key, FlightEntry] = field(default_factory=dict)
    last: dict[tuple[ProcessGroup, bool], int] = field(default_factory=dict)
    """The largest number of each group (and kind) that stands in the dump."""
    status: dict[str, GroupStatus] = field(default_factory=dict)
    """By name of the group."""

    def stage(self, key: Key) -> Stage:
        """How far this rank is with one operation. What a damaged dump does not hold is unknown."""
        if key in self.unfinished:
            return "waiting"
        if key in self.known:
            return "done"
        last = self.last.get((key.group, key.p2p))
        if last is not None and last > key.seq:
            return "done"  # newer ones stand there; this one left the buffer
        if self.dump.partial:
            return "unknown"
        if last is not None:
            return "absent"
        return self._by_status(key)

    def _by_status(self, key: Key) -> Stage:
        """For a group without an entry: its status, unless that may count something else (send and recv)."""
        status = self.status.get(key.group.name)
        if status is None or status.enqueued is None:
            return "absent" if any(entry.state == COMPLETED for entry in self.known.values()) else "unknown"
        if status.enqueued < key.seq:
            return "absent"
        return "done" if status.completed is not None and status.completed >= key.seq else "unknown"


def progress_of(dump: FlightDump, groups: Groups) -> Progress:
    """Read a dump in order. Entries that only seem unfinished (parts of coalesced operations are never marked) are
    those that a newer, completed operation of the same group, or the group's status, has passed."""
    found = Progress(dump, status=_named_status(dump))
    passed, named = _passed(dump), groups.of(dump)
    for entry in dump.entries:
        group = named[entry.group]
        key = Key(group, entry.p2p, entry.seq)
        found.known[key] = entry
        found.last[group, entry.p2p] = max(entry.seq, found.last.get((group, entry.p2p), entry.seq))
        if entry.state == COMPLETED or entry.order <= passed.get((entry.group, entry.p2p), -1):
            found.unfinished.pop(key, None)
        else:
            found.unfinished[key] = entry
    for key in _passed_by_status(found):
        del found.unfinished[key]
    found.oldest = min(found.unfinished.values(), key=lambda entry: entry.order, default=None)
    return found


def _passed(dump: FlightDump) -> dict[tuple[str, bool], int]:
    """The newest completed operation of each group, by order."""
    newest: dict[tuple[str, bool], int] = {}
    for entry in dump.entries:
        if entry.state == COMPLETED:
            at = (entry.group, entry.p2p)
            newest[at] = max(entry.order, newest.get(at, entry.order))
    return newest


def _passed_by_status(found: Progress) -> set[Key]:
    """Operations that the status of their group calls completed. Only where it surely counts the same kind of work:
    its last number is that of the group's last entry."""
    kinds: dict[ProcessGroup, set[bool]] = {}
    for key in found.known:
        kinds.setdefault(key.group, set()).add(key.p2p)
    passed = set()
    for key in found.unfinished:
        status = found.status.get(key.group.name)
        if status is None or status.completed is None or len(kinds[key.group]) > 1:
            continue
        if status.enqueued == found.last[key.group, key.p2p] and key.seq <= status.completed:
            passed.add(key)
    return passed


def _named_status(dump: FlightDump) -> dict[str, GroupStatus]:
    """Status by name of the group. Entries tell which number is which name; without them, names and numbers of all
    groups stand in the same order, since a process counts both as it creates the groups."""
    told = {str(entry.group_id): entry.group for entry in dump.entries if entry.group_id is not None}
    if len(dump.groups) == len(dump.status) and all(map(str.isdigit, (*dump.groups, *dump.status))):
        pairs = dict(zip(sorted(dump.status, key=int), sorted(dump.groups, key=int), strict=True))
        if all(pairs.get(number) == name for number, name in told.items()):
            told = pairs
    return {name: dump.status[number] for number, name in told.items() if number in dump.status}

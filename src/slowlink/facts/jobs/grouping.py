"""Which inputs are one job: one, unless it is shown that there are several.

What belongs together is joined first: files of one bundle, of one communicator, of one number in the scheduler, then of
hosts that they share (launches on the same hosts, one after another, are repeats of one job). What remains apart are
several jobs only where something shows it: different numbers, or hosts that a complete job does not have. Complete is a
job whose benchmark lists all ranks, or of whose communicator every rank wrote a line; or whose processes, each of
which writes all its calls, call nobody else. The log of one node alone may be
a part of a larger job; that two such logs are not of one is shown where neither their names nor their communicators go
together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

from slowlink.facts.jobs.folders import Folders, Tops, folder_of
from slowlink.facts.jobs.marks import Marks
from slowlink.parting import joined

_MOST_COMPARED = 100
"""Jobs of one communicator whose hosts are compared."""


class Group(Struct, eq=False):
    """Inputs that are one job, and what they tell together."""

    members: list[Marks] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    complete: bool = False
    """All its hosts are known."""
    libraries: set[str] = field(default_factory=set)
    largest: int = 0
    has_comms: bool = False
    shapes: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, members: Iterable[Marks]) -> Group:
        group = cls()
        for marks in members:
            group.members.append(marks)
            group.hosts |= marks.hosts
            group.ids |= marks.ids
            group.libraries |= marks.libraries
            group.largest = max(group.largest, marks.largest)
            group.has_comms |= bool(marks.comms)
            group.shapes.add(marks.shape)
        group.complete = any(marks.table for marks in group.members)
        return group

    def take(self, other: Group) -> None:
        """All of ``other`` becomes a part of this."""
        self.members += other.members
        self.hosts |= other.hosts
        self.ids |= other.ids
        self.complete |= other.complete
        self.libraries |= other.libraries
        self.largest = max(self.largest, other.largest)
        self.has_comms |= other.has_comms
        self.shapes |= other.shapes

    @property
    def sources(self) -> list[str]:
        return [marks.source for marks in self.members]

    def may_be(self, other: Group) -> bool:
        """Nothing shows that these are two jobs."""
        if self.ids and other.ids and not self.ids & other.ids:
            return False
        if not self.hosts or not other.hosts or self.hosts & other.hosts:
            return True
        return not (self.complete or other.complete) and not self._is_unlike(other)

    def _is_unlike(self, other: Group) -> bool:
        """Parts of a job's output have names alike, or share a communicator; of one job they cannot be where the
        communicators have other sizes, or the GPUs are of another kind."""
        if self.libraries and other.libraries and not self.libraries & other.libraries:
            return True
        other_size = 0 not in (self.largest, other.largest) and self.largest != other.largest
        return self.shapes.isdisjoint(other.shapes) and (other_size or (self.has_comms and other.has_comms))


def groups_of(marked: Sequence[Marks], bundles: Tops) -> list[Group]:
    """The jobs among inputs that tell of one; the order of the inputs makes no difference."""
    ordered = sorted(marked, key=lambda marks: marks.source)
    repeated = _repeated_ids(ordered)
    together = joined(ordered, lambda marks: _keys(marks, bundles, repeated))
    groups = _with_shared_hosts([Group.of(members) for members in together])
    _note_complete(groups)
    return _apart(groups)


def _keys(marks: Marks, bundles: Tops, repeated: Collection[str]) -> list[str]:
    tops = [f"bundle {top}" for top in bundles.of(marks.source)]
    comms = [f"communicator {name}" for name in marks.comms if name not in repeated]
    return [*tops, *comms, *(f"job {number}" for number in marks.ids)]


def _repeated_ids(items: Sequence[Marks]) -> set[str]:
    """Ids of communicators that jobs of other hosts have, too: somebody made the logs alike (names taken out, a log
    made from another), so they join nothing."""
    complete: dict[str, list[set[str]]] = {}
    for marks in items:
        for name in marks.comms if marks.table else ():
            complete.setdefault(name, []).append(marks.hosts)
    return {
        name
        for marks in items
        for name in marks.comms
        if marks.hosts and any(marks.hosts.isdisjoint(hosts) for hosts in complete.get(name, ())[:_MOST_COMPARED])
    }


def _with_shared_hosts(groups: Sequence[Group]) -> list[Group]:
    """Groups that share hosts become one. Jobs of different numbers do not: they ran on these hosts one after another,
    and what has no number belongs to one of them only where no other has its hosts."""
    numbered = [group for group in groups if group.ids]
    owners: dict[str, list[Group]] = {}
    for group in numbered:
        for host in group.hosts:
            owners.setdefault(host, []).append(group)
    result = list(numbered)
    for parts in joined([group for group in groups if not group.ids], lambda group: group.hosts):
        whole = parts[0]
        for part in parts[1:]:
            whole.take(part)
        found = list({id(owner): owner for host in whole.hosts for owner in owners.get(host, ())}.values())
        if len(found) == 1:
            found[0].take(whole)
        else:
            result.append(whole)
    return result


def _note_complete(groups: Sequence[Group]) -> None:
    """A job is complete where every rank of its largest communicator wrote a line. That of one node may be a part of a
    larger job, whose nodes write side by side: it is complete in folders of its own alone."""
    owners: dict[str, set[int]] = {}
    for group in groups:
        for source in group.sources:
            owners.setdefault(folder_of(source), set()).add(id(group))
    for group in groups:
        alone = all(len(owners[folder_of(source)]) == 1 for source in group.sources)
        group.complete |= _every_rank_seen(group) and (len(group.hosts) > 1 or alone)
        group.complete |= _calls_nobody_else(group) and len(group.hosts) > 1


def _seen(each: Iterable[Mapping[tuple[int, str], set[int]]]) -> dict[tuple[int, str], set[int]]:
    found: dict[tuple[int, str], set[int]] = {}
    for comms in each:
        for comm, ranks in comms.items():
            found.setdefault(comm, set()).update(ranks)
    return found


def _calls_nobody_else(group: Group) -> bool:
    """Is every rank of all communicators here in which its processes call?"""
    seen = _seen(marks.calling for marks in group.members)
    return bool(seen) and all(len(ranks) == size for (size, _), ranks in seen.items())


def _every_rank_seen(group: Group) -> bool:
    seen = _seen(marks.ranks for marks in group.members)
    largest = max((size for size, _ in seen), default=0)
    return largest > 1 and any(size == largest and len(ranks) == size for (size, _), ranks in seen.items())


def _apart(groups: Sequence[Group]) -> list[Group]:
    """Groups that are shown to be different jobs; those that may be one are joined. What may be a part of several
    belongs to the one of its folder, else to none."""
    result: list[Group] = []
    folders = Folders[Group]()
    partial: list[Group] = []
    taken: set[str] = set()
    numbered = _folders_of_numbers(groups)
    for group in sorted(groups, key=_strongest):
        own_hosts = bool(group.hosts) and group.hosts.isdisjoint(taken)
        if own_hosts and group.complete:
            fitting: list[Group] = []
        elif not group.hosts and group.ids and not _only_number(group, numbered):
            fitting = []  # of several numbers that may belong to a job none does
        else:
            fitting = [other for other in (partial if own_hosts else result) if group.may_be(other)]
        owner = fitting[0] if len(fitting) == 1 else folders.nearest(group.sources, fitting)
        if owner is not None:
            owner.take(group)
        else:
            owner = group
            result.append(group)
            if not group.complete:
                partial.append(group)
        folders.add(group.sources, owner)
        taken |= group.hosts
    return result


def _folders_of_numbers(groups: Sequence[Group]) -> dict[str, int]:
    """Folder -> how many jobs with a number write there."""
    folders = (folder for group in groups if group.ids for folder in {folder_of(source) for source in group.sources})
    return Counter(folders)


def _only_number(group: Group, numbered: dict[str, int]) -> bool:
    return all(numbered[folder_of(source)] == 1 for source in group.sources)


def _strongest(group: Group) -> tuple[object, ...]:
    """What tells most comes first: all its hosts, some, none."""
    return (not (group.complete and group.hosts), not group.hosts, not group.ids, min(group.sources))

"""Dumps of many ranks joined: which belong to one job at one moment, and where that job stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from msgspec.structs import replace

from slowlink.facts.hang.differences import differences
from slowlink.facts.hang.progress import Groups, progress_of
from slowlink.facts.hang.waits import blame
from slowlink.model.hang import FlightDump, Flights, FlightSet
from slowlink.model.records import Records
from slowlink.parsers.reading.promises import EMPTY

_OWN_RANK = ("process groups", "send and recv", "file name")
"""How the rank of a dump is known that lies in a file of its own; a file for several ranks names each."""


def flights(records: Records) -> Flights | None:
    """None when no dump was read."""
    if not records.flights:
        return None
    sets: dict[str, list[FlightDump]] = {}
    for folder, dumps in _folders(records.flights).items():
        sets[folder] = dumps
    joined = [_joined(dumps) for dumps in sets.values() if any(dump.rank is not None for dump in dumps)]
    unplaced = tuple(dump for dump in records.flights if dump.rank is None)
    return Flights(_with_movement(joined), unplaced, _unread(records))


def _unread(records: Records) -> str:
    """The first input that was read only in part and may hold dumps that are not here: it has no other content, and
    is not itself the dump of one rank."""
    inside: dict[str, list[FlightDump]] = {}
    for dump in records.flights:
        inside.setdefault(dump.ref.source, []).append(dump)
    for source in records.sources:
        if source.problem == EMPTY:
            continue
        dumps = inside.get(source.path, [])
        is_one_rank = len(dumps) == 1 and dumps[0].rank_basis in _OWN_RANK
        if source.partial and not is_one_rank and (dumps or not source.kinds):
            return source.path
    return ""


def _folders(dumps: Iterable[FlightDump]) -> dict[str, list[FlightDump]]:
    """Dumps that lie together: in one source with several, or in one folder with one file a rank."""
    by_source: dict[str, list[FlightDump]] = {}
    for dump in dumps:
        by_source.setdefault(dump.ref.source, []).append(dump)
    found: dict[str, list[FlightDump]] = {}
    for source, inside in by_source.items():
        place = source if len(inside) > 1 else source[: max(source.rfind("/"), source.rfind("!")) + 1]
        found.setdefault(place, []).extend(inside)
    return found


def _joined(dumps: Iterable[FlightDump]) -> FlightSet:
    """One dump a rank; of several the newest."""
    by_rank: dict[int, FlightDump] = {}
    for dump in dumps:
        if dump.rank is not None and (dump.rank not in by_rank or _newest(by_rank[dump.rank]) <= _newest(dump)):
            by_rank[dump.rank] = dump
    groups = Groups()
    progress = {rank: progress_of(by_rank[rank], groups) for rank in sorted(by_rank)}
    found = blame(progress)
    lists = {id(group.ranks): group.ranks for dump in by_rank.values() for group in dump.groups.values()}
    named = {rank for members in lists.values() for rank in members}  # all ranks share one list of all ranks
    ranks = tuple(sorted(named | by_rank.keys()))
    guilty = {each.rank for each in found.blocked}
    oldest = {rank: each.oldest for rank, each in progress.items() if each.oldest is not None}
    return FlightSet(
        dumps=by_rank,
        ranks=ranks,
        missing=tuple(rank for rank in ranks if rank not in by_rank),
        unreadable=tuple(rank for rank, dump in sorted(by_rank.items()) if dump.partial),
        oldest=oldest,
        waits=found.waits,
        blocked=found.blocked,
        circle=found.circle,
        together=found.together,
        differences=differences(progress),
        status={rank: each.status for rank, each in progress.items()},
        held_up=tuple(rank for rank in sorted(oldest) if rank not in guilty),
    )


def _newest(dump: FlightDump) -> tuple[int, int]:
    created = max((entry.created_ns or 0 for entry in dump.entries), default=0)
    return created, dump.entries[-1].order if dump.entries else -1


def _with_movement(sets: list[FlightSet]) -> tuple[FlightSet, ...]:
    """Mark sets of one job between which ranks have gone on."""
    alike: dict[object, list[int]] = {}
    for number, each in enumerate(sets):
        alike.setdefault(_shape(each), []).append(number)
    moved = {number for same in alike.values() if _moved([sets[n] for n in same]) for number in same}
    return tuple(replace(each, moved=number in moved) for number, each in enumerate(sets))


def _shape(each: FlightSet) -> object:
    """Groups and ranks of a job, which stay the same from one dump to the next."""
    return frozenset(
        (group.name, group.description, group.ranks) for dump in each.dumps.values() for group in dump.groups.values()
    ) or id(each)


def _moved(same: list[FlightSet]) -> bool:
    return any(_gone_on(a.oldest, b.oldest) for a, b in pairwise(same))


def _gone_on(before: Mapping[int, object], after: Mapping[int, object]) -> bool:
    """Is every rank that waited in the one not in the same operation in the other?"""
    both = before.keys() & after.keys()
    return bool(both) and all(_place(before[rank]) != _place(after[rank]) for rank in both)


def _place(entry: object) -> object:
    return (getattr(entry, "group", None), getattr(entry, "p2p", None), getattr(entry, "seq", None))

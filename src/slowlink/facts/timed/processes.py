"""Which process each column of calls is of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from slowlink.model.timed import Process
from slowlink.model.timed_calls import TimedCalls


class Key(NamedTuple):
    """What tells one process of a job from all others."""

    host: str
    pid: int
    other: int
    """Where the process has no id: its rank in the job, else its GPU."""


def key_of(calls: TimedCalls) -> Key:
    """Of the process that a column is of."""
    host, pid = calls.host or "", calls.pid
    if pid is not None and host:
        return Key(host, pid, -1)
    other = calls.world_rank if calls.world_rank is not None else calls.gpu if calls.gpu is not None else calls.rank
    return Key(host, -1, other)


def processes_of(columns: Sequence[TimedCalls]) -> dict[Key, Process]:
    """All processes, by node and id. Ranks of the job come from the largest communicator where nothing tells them."""
    first: dict[Key, TimedCalls] = {}
    for calls in columns:
        first.setdefault(key_of(calls), calls)
    ranks = _world_ranks(columns, len(first))
    of_host: dict[str, list[Key]] = defaultdict(list)
    for key in sorted(first):
        of_host[key.host].append(key)
    places = {key: place for keys in of_host.values() for place, key in enumerate(keys)}
    found = {}
    for key in sorted(first):
        calls = first[key]
        world = calls.world_rank if calls.world_rank is not None else ranks.get(key)
        found[key] = Process(
            name=_name(calls, world),
            host=calls.host,
            pid=calls.pid,
            gpu=calls.gpu,
            world_rank=world,
            place=places[key] if calls.host else None,
            of_node=len(of_host[key.host]) if calls.host else 0,
        )
    return found


def _world_ranks(columns: Sequence[TimedCalls], processes: int) -> dict[Key, int]:
    """From a communicator that all processes are in; nothing where there is none."""
    sizes = {calls.comm: calls.nranks for calls in columns}
    largest = max(sizes, key=sizes.__getitem__)
    mine = {key_of(calls): calls.rank for calls in columns if calls.comm == largest}
    whole = len(mine) == processes and sizes[largest] >= processes and len({*mine.values()}) == len(mine)
    return mine if whole else {}


def _name(calls: TimedCalls, world: int | None) -> str:
    on = f" on {calls.host}" if calls.host else ""
    if world is not None:
        return f"rank {world}{on}"
    if calls.pid is not None:
        return f"process {calls.pid}{on}"
    return f"GPU {calls.gpu}{on}" if calls.gpu is not None else f"rank {calls.rank}{on}"

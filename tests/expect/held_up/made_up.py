"""Jobs of which each time is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from slowlink.model.source import Ref
from slowlink.model.timed import CallTimes, Member, Process, SendTimes, Timed, TimedGroup
from slowlink.model.timed_calls import CallKind

REDUCE = CallKind("all_reduce", 1 << 20)
SIZE = 1 << 16


def process(host: str | None, place: int, of_node: int) -> Process:
    return Process(f"process {place} on {host}", host, place, None, None, None if host is None else place, of_node)


def processes_on(*hosts: str | None) -> tuple[Process, ...]:
    """One after the other, as they are placed on these nodes."""
    return tuple(
        process(host, hosts[:number].count(host), hosts.count(host) if host else 0) for number, host in enumerate(hosts)
    )


def members(*processes: int) -> tuple[Member, ...]:
    return tuple(Member(process, rank, Ref("a.log", 1)) for rank, process in enumerate(processes))


def calls(times_us: Sequence[Sequence[float]], kind: CallKind = REDUCE, pace_s: float = 0.005) -> CallTimes:
    """[call][member]."""
    ended = 1000 + pace_s * np.arange(len(times_us))
    return CallTimes(kind, np.array(times_us, "f"), np.arange(len(times_us)), ended, ended)


def group(
    number: int,
    processes: Sequence[int],
    tables: Sequence[CallTimes] = (),
    sends: Mapping[tuple[int, int], Sequence[float]] | None = None,
    nnodes: int | None = 1,
    nranks: int | None = None,
) -> TimedGroup:
    """``sends``: times of sends from one member to another."""
    told = tuple(
        SendTimes(one, CallKind("send", SIZE, other), np.array(times, "f"))
        for (one, other), times in (sends or {}).items()
    )
    size = len(processes) if nranks is None else nranks
    return TimedGroup(f"0x{number:x}", "", size, nnodes, members(*processes), tuple(tables), told)


def job(hosts: Sequence[str | None], groups: Sequence[TimedGroup]) -> Timed:
    return Timed(processes_on(*hosts), tuple(groups), ("nccl-inspector",), on_gpu=True, calls=1)

"""Tables of calls by ranks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slowlink.facts.timed.processes import Key, key_of, processes_of
from slowlink.model.timed import CallTimes, Member, SendTimes, Timed, TimedGroup
from slowlink.model.timed_calls import (
    ENDED,
    INSPECTOR,
    INSPECTOR_METRICS,
    KIND,
    KINETO,
    NUMBER,
    TIME,
    CallKind,
    TimedCalls,
)

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_SENDS = frozenset({"send", "recv"})
_MOSTLY = 0.95
_MOST_UNCLEAR = 20


def timed(columns: Sequence[TimedCalls]) -> Timed | None:
    """None where no call was timed."""
    if not columns:
        return None
    processes = processes_of(columns)
    numbers = {key: number for number, key in enumerate(processes)}
    of_comm: dict[str, list[TimedCalls]] = defaultdict(list)
    for calls in columns:
        of_comm[calls.comm].append(calls)
    groups, unclear = [], []
    for comm, mine in of_comm.items():
        doubt = _doubt(mine)
        if doubt:
            unclear.append(f"{comm}: {doubt}")
        else:
            groups.append(_group(mine, numbers))
    clocks: Counter[str] = Counter()
    for calls in columns:
        clocks.update(calls.timed_by)
    on_gpu = all(calls.tool == INSPECTOR_METRICS for calls in columns) or (
        clocks["kernel_gpu"] + clocks[""] >= _MOSTLY * clocks.total()
    )
    return Timed(
        processes=tuple(processes.values()),
        groups=tuple(groups),
        tools=tuple(sorted({calls.tool for calls in columns})),
        on_gpu=on_gpu,
        calls=sum(map(len, columns)),
        unclear=tuple(unclear[:_MOST_UNCLEAR]),
    )


def _doubt(columns: Sequence[TimedCalls]) -> str:
    """Why these may be of several communicators; "" where nothing speaks for it."""
    if len({(calls.nranks, calls.tool) for calls in columns}) > 1:
        return "its ranks do not agree on its size"
    keys = {key_of(calls) for calls in columns}
    if len(keys) > columns[0].nranks:
        return f"{len(keys)} processes say that they are of its {columns[0].nranks} ranks: several share its name"
    if columns[0].tool == INSPECTOR and len({(key_of(calls), calls.rank) for calls in columns}) > len(keys):
        return "a process says that it is two of its ranks"
    return ""


class _Rows(NamedTuple):
    """Calls of one kind of one member."""

    member: int
    number: Array
    time_us: Array
    ended: Array


def _group(columns: Sequence[TimedCalls], numbers: Mapping[Key, int]) -> TimedGroup:
    members: dict[Key, int] = {}
    made: list[Member] = []
    rows: dict[CallKind, list[_Rows]] = defaultdict(list)
    for calls in columns:
        key = key_of(calls)
        if key not in members:
            members[key] = len(made)
            made.append(Member(numbers[key], calls.rank, calls.ref))
        for kind, mine in _rows(calls, members[key]):
            rows[kind].append(mine)
    first = columns[0]
    return TimedGroup(
        comm=first.comm,
        name=first.comm_name,
        nranks=first.nranks,
        nnodes=first.nnodes if first.nnodes is not None else _nodes(columns),
        members=tuple(made),
        calls=tuple(_tables(rows, len(made), counted=first.tool == KINETO)),
        sends=tuple(
            SendTimes(one.member, kind, one.time_us)
            for kind, each in rows.items()
            if kind.collective in _SENDS
            for one in each
        ),
    )


def _nodes(columns: Iterable[TimedCalls]) -> int | None:
    hosts = {calls.host for calls in columns}
    return None if None in hosts else len(hosts)


def _rows(calls: TimedCalls, member: int) -> Iterator[tuple[CallKind, _Rows]]:
    import numpy as np

    kinds = np.frombuffer(calls.kind, KIND)
    number, time_us = np.frombuffer(calls.number, NUMBER), np.frombuffer(calls.time_us, TIME)
    ended = np.frombuffer(calls.ended, ENDED)
    for index, kind in enumerate(calls.kinds):
        mine = kinds == index if len(calls.kinds) > 1 else slice(None)
        yield kind, _Rows(member, number[mine], time_us[mine], ended[mine])


def _tables(rows: Mapping[CallKind, Sequence[_Rows]], members: int, *, counted: bool) -> Iterator[CallTimes]:
    """``counted``: calls have no numbers but their places, so that ranks with more calls than others fit nobody."""
    import numpy as np

    for kind, each in rows.items():
        if kind.collective in _SENDS or len({one.member for one in each}) < 2:
            continue
        if counted and len({len(one.number) for one in each}) > 1 and all(0 in one.number for one in each):
            continue
        numbers, places = np.unique(np.concatenate([one.number for one in each]), return_inverse=True)
        table = np.full((len(numbers), members), np.nan, "f")
        ended = np.zeros(len(numbers))
        start = 0
        for one in each:
            mine = places[start : start + len(one.number)]
            table[mine, one.member] = one.time_us
            ended[mine] = np.maximum(ended[mine], one.ended)
            start += len(one.number)
        shared = np.isfinite(table).sum(axis=1) > 1
        if shared.any():
            yield CallTimes(kind, table[shared], numbers[shared], ended[shared])

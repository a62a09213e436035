"""Tables of calls by ranks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from slowlink.facts.timed.parts import parts_of
from slowlink.facts.timed.processes import Key, key_of, processes_of
from slowlink.facts.timed.traces import Window, doubt_of, extents_of, in_step, windows_of
from slowlink.model.timed import CallTimes, Member, SendTimes, Timed, TimedGroup
from slowlink.model.timed_calls import (
    ACCL,
    ENDED,
    INSPECTOR,
    INSPECTOR_METRICS,
    KIND,
    KINETO,
    NO_COMM,
    NUMBER,
    SENDS,
    TIME,
    CallKind,
    TimedCalls,
)

if TYPE_CHECKING:
    from slowlink.model.timed import Array

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
    groups: list[TimedGroup] = []
    unclear: dict[str, list[str]] = {}
    left_out = 0
    extents = extents_of(calls for calls in columns if calls.tool == KINETO)
    for comm, mine in of_comm.items():
        doubt = _doubt(mine)
        if doubt:
            unclear[comm] = [doubt]
            left_out += sum(map(len, mine))
            continue
        for windows in windows_of(mine, extents) if mine[0].tool == KINETO else [[Window(tuple(mine), 0.0)]]:
            doubts: list[str] = []
            group = _group(windows, numbers, doubts)
            groups += [group] if group is not None else []
            if doubts:
                unclear.setdefault(comm, []).extend(dict.fromkeys(doubts))
                left_out += sum(len(calls) for window in windows for calls in window.columns) - _kept(group)
    clocks: Counter[str] = Counter()
    for calls in columns:
        clocks.update(calls.timed_by)
    on_gpu = all(calls.tool == INSPECTOR_METRICS for calls in columns) or (
        0 < clocks["kernel_gpu"] >= _MOSTLY * clocks.total()
    )
    told = (f"{comm}: {doubt}" for comm, doubts in unclear.items() for doubt in doubts)
    lost = {calls.ref.source: calls.lost for calls in columns if calls.lost}
    return Timed(
        processes=tuple(processes.values()),
        groups=tuple(groups),
        tools=tuple(sorted({calls.tool for calls in columns})),
        on_gpu=on_gpu,
        calls=sum(map(len, columns)),
        unclear=tuple(islice(told, _MOST_UNCLEAR)),
        unclear_groups=len(unclear),
        unclear_calls=left_out,
        sends_unseen=any(calls.tool == ACCL for calls in columns),
        lost=tuple(f"{name}: {words}" for name, words in islice(lost.items(), _MOST_UNCLEAR)),
        lossy=len(lost),
        unfinished=len({calls.ref.source for calls in columns if calls.unfinished}),
    )


def _kept(group: TimedGroup | None) -> int:
    """Calls of a group, of all its ranks."""
    import numpy as np

    if group is None:
        return 0
    tables = sum(int(np.isfinite(calls.times_us).sum()) for calls in group.calls)
    return tables + sum(len(sends.times_us) for sends in group.sends)


def _doubt(columns: Sequence[TimedCalls]) -> str:
    """Why these may be of several communicators; "" where nothing speaks for it."""
    if columns[0].comm == NO_COMM:
        return "neither the lines nor the names of their files tell which communicator it is"
    if len({(calls.nranks, calls.tool) for calls in columns}) > 1:
        return "its ranks do not agree on its size"
    if columns[0].tool == KINETO:
        return ""  # each window of its traces has doubts of its own
    keys = {key_of(calls) for calls in columns}
    if len(keys) > columns[0].nranks:
        return f"{len(keys)} processes say that they are of its {columns[0].nranks} ranks: several share its name"
    if columns[0].tool in (INSPECTOR, ACCL) and len({(key_of(calls), calls.rank) for calls in columns}) > len(keys):
        return "a process says that it is two of its ranks"
    if columns[0].tool == INSPECTOR_METRICS and (
        len(columns) > len(keys) or any(len(calls) > len(calls.kinds) for calls in columns)
    ):
        return "there are several means of the same calls of one GPU: which of them go together is not told"
    return ""


class _Rows(NamedTuple):
    """Calls of one kind of one member."""

    member: int
    number: Array
    """The window that they are in stands in the upper half."""
    time_us: Array
    ended: Array


class _Rowed(NamedTuple):
    """All that is known of the calls of one group."""

    members: list[Member]
    rows: dict[CallKind, list[_Rows]]
    pauses_s: list[float]
    """Before each window."""
    clock: int | None
    """The member whose own clock tells when calls ended, where each has one of its own and there is no other."""


def _group(windows: Sequence[Window], numbers: Mapping[Key, int], doubts: list[str]) -> TimedGroup | None:
    """None where nothing of it is clear. ``doubts`` gets why something is left out."""
    known = _Rowed([], defaultdict(list), [window.pause_s for window in windows], _clock_of(windows))
    members: dict[Key, int] = {}
    columns: list[TimedCalls] = []
    for place, window in enumerate(windows):
        doubt = doubt_of(window) if window.columns[0].tool == KINETO else ""
        if doubt:
            doubts.append(doubt)
            continue
        columns += window.columns
        for calls in window.columns:
            key = key_of(calls)
            if key not in members:
                members[key] = len(known.members)
                known.members.append(Member(numbers[key], calls.rank, calls.ref))
        for kind, each in _lined_up(window, _of_window(window, place, members), doubts).items():
            known.rows[kind] += each
    if not columns:
        return None
    first = columns[0]
    return TimedGroup(
        comm=first.comm,
        name=first.comm_name,
        nranks=first.nranks,
        nnodes=first.nnodes if first.nnodes is not None else _nodes(columns),
        members=tuple(known.members),
        calls=tuple(_tables(known)),
        sends=tuple(
            SendTimes(one.member, kind, one.time_us)
            for kind, each in known.rows.items()
            if kind.collective in SENDS
            for one in each
        ),
        parts=parts_of(columns, members),
    )


def _of_window(window: Window, place: int, members: Mapping[Key, int]) -> dict[CallKind, list[_Rows]]:
    found: dict[CallKind, list[_Rows]] = defaultdict(list)
    counted = window.counted  # asks all columns
    for calls in window.columns:
        for kind, rows in _rows(calls, members[key_of(calls)], place, counted=counted):
            found[kind].append(rows)
    return found


def _lined_up(
    window: Window, rows: dict[CallKind, list[_Rows]], doubts: list[str]
) -> Mapping[CallKind, Sequence[_Rows]]:
    """Without the kinds whose calls are told by their places, where these need not be the same."""
    if not window.counted:
        return rows
    found = {}
    for kind, each in rows.items():
        if kind.collective in SENDS or _as_many(each, len(window.columns)):
            found[kind] = each
        else:
            doubts.append(f"its traces do not hold as many calls of {kind.collective} of {kind.size_bytes:,} bytes")
    shared = [[one.ended for one in each] for kind, each in found.items() if kind.collective not in SENDS]
    if not in_step(shared):
        doubts.append("its traces hold other calls in the same places")
        return {kind: each for kind, each in found.items() if kind.collective in SENDS}
    return found


def _as_many(each: Sequence[_Rows], members: int) -> bool:
    return len(each) == members and len({len(one.number) for one in each}) == 1


def _clock_of(windows: Sequence[Window]) -> int | None:
    """Clocks of several GPUs are no more alike than those of nodes: one tells, of the member of most calls."""
    columns = windows[0].columns
    keys = list(dict.fromkeys(map(key_of, columns)))
    longest = max(columns, key=len)
    return keys.index(key_of(longest)) if longest.own_clock else None


def _nodes(columns: Iterable[TimedCalls]) -> int | None:
    hosts = {calls.host for calls in columns}
    return None if None in hosts else len(hosts)


def _rows(calls: TimedCalls, member: int, window: int, *, counted: bool) -> Iterator[tuple[CallKind, _Rows]]:
    """``counted``: calls of a kind are told by their places."""
    import numpy as np

    kinds = np.frombuffer(calls.kind, KIND)
    number, time_us = np.frombuffer(calls.number, NUMBER), np.frombuffer(calls.time_us, TIME)
    ended = np.frombuffer(calls.ended, ENDED)
    by_kind = np.argsort(kinds, kind="stable")
    edges = np.searchsorted(kinds[by_kind], np.arange(len(calls.kinds) + 1))
    for kind, (start, stop) in zip(calls.kinds, pairwise(edges), strict=True):
        mine = by_kind[start:stop]
        times = time_us[mine]
        places = np.arange(len(times)) if counted else number[mine].astype("q")
        yield kind, _Rows(member, places + (window << 32), times, ended[mine])


def _tables(known: _Rowed) -> Iterator[CallTimes]:
    import numpy as np

    members, pauses = len(known.members), np.array(known.pauses_s)
    for kind, each in known.rows.items():
        if kind.collective in SENDS or len({one.member for one in each}) < 2:
            continue
        numbers, places = np.unique(np.concatenate([one.number for one in each]), return_inverse=True)
        table = np.full((len(numbers), members), np.nan, "f")
        ended = np.zeros(len(numbers))
        start = 0
        for one in each:
            mine = places[start : start + len(one.number)]
            table[mine, one.member] = one.time_us
            if known.clock in (None, one.member):
                ended[mine] = np.maximum(ended[mine], one.ended)
            start += len(one.number)
        shared = np.isfinite(table).sum(axis=1) > 1
        if shared.any():
            ended, numbers = ended[shared], numbers[shared]
            recorded = ended - pauses[numbers >> 32] if len(pauses) > 1 else ended
            told = ended if known.clock is None else np.zeros(len(ended))
            yield CallTimes(kind, table[shared], numbers & 0xFFFFFFFF, told, recorded)

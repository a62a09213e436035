"""Columns of timed calls (``model.timed_calls``) while they are read, one set for each communicator and rank."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from math import isfinite, nan
from typing import NamedTuple, TypeVar

from slowlink.model.source import Ref
from slowlink.model.timed_calls import ENDED, KIND, NUMBER, PART, PARTS, TIME, CallKind, TimedCalls
from slowlink.parsers.forms.limit import Limit

MOST_CALLS = Limit(2_000_000, "timed calls")
MOST_OWNERS = Limit(10_000, "communicators and ranks")
MOST_KINDS = Limit((1 << 16) - 1, "sizes of calls")
MOST_CLOCKS = Limit((1 << 8) - 1, "names of clocks")
_LARGEST_NUMBER, _LONGEST_US = (1 << 32) - 1, 1e12
_LONGEST_NAME = 200
T = TypeVar("T")
Places = TypeVar("Places", "array[int]", bytearray)
_NAMES = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "allgatherv": "all_gather",
    "reducescatter": "reduce_scatter",
    "alltoall": "alltoall",
    "all2all": "alltoall",
    "alltoallv": "alltoallv",
    "sendrecv": "sendrecv",
}


def collective_of(name: str) -> str:
    """``AllReduce``, ``allreduce``, ``_allgather_base`` in our words."""
    plain = name.lower().replace("_", "").replace("base", "").replace("coalesced", "").replace("tensor", "")
    return _NAMES.get(plain, plain[:_LONGEST_NAME])


class Owner(NamedTuple):
    """Whose calls they are."""

    tool: str
    comm: str
    comm_name: str
    rank: int
    nranks: int
    nnodes: int | None
    host: str | None
    pid: int | None
    world_rank: int | None = None
    gpu: int | None = None
    own_clock: bool = False

    def is_sound(self) -> bool:
        """Could there be such a rank, in a communicator in which anybody waits for another?"""
        return bool(self.comm) and 0 <= self.rank < 1 << 30 and 1 < self.nranks < 1 << 30


class Calls:
    """Of one owner."""

    __slots__ = ("_clock", "_clocks", "_kinds", "_parts", "counted", "ended", "kind", "number", "ref", "time_us")

    def __init__(self, ref: Ref) -> None:
        self.ref = ref
        self._kinds: dict[CallKind, int] = {}
        self.kind: array[int] = array(KIND)
        self.number: array[int] = array(NUMBER)
        self.time_us: array[float] = array(TIME)
        self.ended: array[float] = array(ENDED)
        self._clocks: dict[str, int] = {}
        self._clock = bytearray()
        """Which of ``_clocks`` timed each call."""
        self._parts: dict[str, array[float]] = {}
        self.counted = False

    def add(
        self,
        kind: CallKind,
        number: int | None,
        time_us: float,
        ended: float,
        timed_by: str,
        parts: Mapping[str, float] = {},
    ) -> bool:
        """False for a call that cannot be, or has no room. ``number``: None where calls are only counted. ``parts``: of
        ``PARTS``, microseconds; one that cannot be is not told."""
        if number is None:
            number, self.counted = 0, True
        if not (0 < time_us < _LONGEST_US and 0 <= number <= _LARGEST_NUMBER and 0 <= kind.size_bytes < 1 << 60):
            return False
        timed_by = timed_by[:_LONGEST_NAME]
        index, clock = self._kinds.get(kind), self._clocks.get(timed_by)
        if (
            (index is None and not MOST_KINDS.has_room(len(self._kinds)))
            or (clock is None and not MOST_CLOCKS.has_room(len(self._clocks)))
            or not MOST_CALLS.has_room(len(self.kind))
        ):
            return False
        if index is None:
            index = self._kinds[kind] = len(self._kinds)
        if clock is None:
            clock = self._clocks[timed_by] = len(self._clocks)
        self.kind.append(index)
        self.number.append(number)
        self.time_us.append(time_us)
        self.ended.append(ended if isfinite(ended) and 0 < ended < 1e11 else 0.0)
        self._clock.append(clock)
        if parts or self._parts:
            self._add_parts(parts)
        return True

    def _add_parts(self, parts: Mapping[str, float]) -> None:
        if not self._parts:
            self._parts = {name: array(PART, [nan]) * (len(self.kind) - 1) for name in PARTS}
        for name, column in self._parts.items():
            us = parts.get(name, nan)
            column.append(us if 0 <= us < _LONGEST_US else nan)

    def keep_last(self, most: int) -> None:
        """Forget all but the last ``most`` calls, at least half of them at a time."""
        if len(self.kind) > 2 * most:
            for column in (self.kind, self.number, self.time_us, self.ended, self._clock):
                del column[:-most]
            for part in self._parts.values():
                del part[:-most]
            self._kinds, self.kind = _used(self._kinds, self.kind, array(KIND))
            self._clocks, self._clock = _used(self._clocks, self._clock, bytearray())

    def record(self, owner: Owner) -> TimedCalls:
        return TimedCalls(
            tool=owner.tool,
            comm=owner.comm[:_LONGEST_NAME],
            comm_name=owner.comm_name[:_LONGEST_NAME],
            rank=owner.rank,
            nranks=owner.nranks,
            nnodes=owner.nnodes,
            host=owner.host[:_LONGEST_NAME] if owner.host else None,
            pid=owner.pid,
            world_rank=owner.world_rank,
            gpu=owner.gpu,
            kinds=tuple(self._kinds),
            kind=self.kind.tobytes(),
            number=self.number.tobytes(),
            time_us=self.time_us.tobytes(),
            ended=self.ended.tobytes(),
            timed_by={name: self._clock.count(index) for name, index in self._clocks.items()},
            ref=self.ref,
            counted=self.counted,
            own_clock=owner.own_clock,
            parts={name: column.tobytes() for name, column in self._parts.items()},
        )


def _used(names: dict[T, int], column: Places, empty: Places) -> tuple[dict[T, int], Places]:
    """Names that stand in a column, numbered anew, and the column with these numbers, added to an empty one."""
    used = set(column)
    if len(used) == len(names):
        return names, column
    left = [(name, place) for name, place in names.items() if place in used]
    anew = {place: number for number, (_, place) in enumerate(left)}
    empty.extend(map(anew.__getitem__, column))
    return {name: anew[place] for name, place in left}, empty


class CallColumns:
    """Of all owners of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._of: dict[Owner, Calls] = {}

    def of(self, owner: Owner, line: int, text: str = "") -> Calls | None:
        """Where calls of ``owner`` go; None where there is no room for another, or there can be no such rank."""
        calls = self._of.get(owner)
        if calls is None and owner.is_sound() and MOST_OWNERS.has_room(len(self._of)):
            calls = self._of[owner] = Calls(Ref(self._source, line, text[:400]))
        return calls

    def keep_last(self, most: int) -> None:
        """Of each owner."""
        for calls in self._of.values():
            calls.keep_last(most)

    def records(self) -> Iterator[TimedCalls]:
        """Those that hold calls."""
        return (calls.record(owner) for owner, calls in self._of.items() if calls.kind)

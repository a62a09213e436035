"""The kernels of collectives in the events of a trace, found by their arguments without reading the other events."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from json import JSONDecoder
from typing import NamedTuple

from msgspec import DecodeError, Struct, ValidationError, field
from msgspec.json import Decoder

_MARK = b'"Collective name"'
_LONGEST = 1 << 18
"""Bytes of one event: the ranks of a group of ten thousand are 60 KB."""
_ENDS_TRIED = 8
"""Closing brackets that are tried: two end an event, more may stand in its texts."""
_MOST_UNREADABLE = 200
"""Events that are tried in vain, each at the cost of up to 4 MB of reading. Of a trace with more no other is tried."""
_PIECE = 4 << 20


class Arguments(Struct, gc=False):
    """What the profiler adds of the call to its kernel."""

    collective: str | None = field(default=None, name="Collective name")
    elements: int | None = field(default=None, name="In msg nelems")
    dtype: str = ""
    group_size: int | None = field(default=None, name="Group size")
    group: str | None = field(default=None, name="Process Group Name")
    ranks: str = field(default="", name="Process Group Ranks")
    number: int | None = field(default=None, name="Seq")
    source: int | None = field(default=None, name="Src Rank")
    target: int | None = field(default=None, name="Dst Rank")
    device: int | None = None


class Event(Struct, gc=False):
    """One event; of ``cat`` kernel what ran on the GPU."""

    ts: float
    args: Arguments
    cat: str = ""
    name: str = ""
    dur: float = 0.0


class Found(NamedTuple):
    """An event, and the line that it ends in; None for one that names a collective and cannot be read."""

    event: Event | None
    line: int


class Events:
    """Finds events in the pieces of one trace. ``lines`` and ``unreadable`` tell, afterwards, of the whole of it."""

    def __init__(self) -> None:
        self._decode = Decoder(Event).decode
        self.lines = 0
        self.unreadable = 0
        self.head = b""
        """What stands before the events, and what behind them, as far as it was kept."""
        self.tail = b""

    def of(self, pieces: Iterable[bytes]) -> Iterator[Found]:
        """All events that name a collective, in order."""
        held = b""
        for piece in _joined(pieces):
            if not self.head:
                self.head = piece[:_LONGEST]
            data = held + piece
            done = yield from self._in(data)
            keep = max(done, len(data) - _LONGEST)
            self.lines += data.count(b"\n", 0, keep)
            held = data[keep:]
        yield from self._in(held, last=True)
        self.lines += held.count(b"\n") + bool(held and not held.endswith(b"\n"))
        self.tail = held

    def _in(self, data: bytes, *, last: bool = False) -> Generator[Found, None, int]:
        """Events that ``data`` holds whole; returns where the last one ends. ``last``: nothing follows it."""
        done, at, counted, line = 0, data.find(_MARK), 0, self.lines + 1
        while at >= 0:
            tried = self.unreadable < _MOST_UNREADABLE
            found = self._around(data, done, at) if tried else None
            if found is None and tried and not last and len(data) - at < _LONGEST:
                return done  # the rest of it may come with the next piece
            event, end = found if found is not None else (None, at + len(_MARK))
            self.unreadable += event is None
            line += data.count(b"\n", counted, end)
            yield Found(event, line)
            done = counted = end
            at = data.find(_MARK, end)
        return done

    def _around(self, data: bytes, done: int, at: int) -> tuple[Event, int] | None:
        """The event whose arguments hold the place ``at``, and where it ends. It begins with the brace before its kind;
        where its keys were sorted, with the one before its arguments."""
        first, end = max(done, at - _LONGEST), data.find(b"}", at, at + _LONGEST)
        if end < 0:
            return None
        for key in (b'"ph"', b'"args"'):
            start = data.rfind(b"{", first, max(first, data.rfind(key, first, at)))
            found = self._event(data, start, end) if start >= 0 else None
            if found is not None:
                return found
        return None

    def _event(self, data: bytes, start: int, end: int) -> tuple[Event, int] | None:
        for _ in range(_ENDS_TRIED):
            end = data.find(b"}", end + 1, start + _LONGEST)
            if end < 0:
                return None
            try:
                return self._decode(data[start : end + 1]), end + 1
            except (DecodeError, ValidationError, UnicodeDecodeError, RecursionError):
                continue
        return None


def _joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in large pieces: what is held over is copied once for each."""
    some: list[bytes] = []
    length = 0
    for piece in pieces:
        some.append(piece)
        length += len(piece)
        if length >= _PIECE:
            yield b"".join(some)
            some, length = [], 0
    if some:
        yield b"".join(some)


_DISTRIBUTED = re.compile(rb'"distributedInfo"\s*:\s*')
_BASE = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d{1,19})')


def told_around(events: Events) -> tuple[int | None, float]:
    """The rank of the process, and seconds to add to its times, as what stands around the events tells."""
    ranks = (_rank_in(text) for text in (events.head, events.tail))
    base = _BASE.search(events.head) or _BASE.search(events.tail)
    return next((rank for rank in ranks if rank is not None), None), (int(base[1]) / 1e9 if base else 0.0)


def _rank_in(text: bytes) -> int | None:
    """Behind it may stand anything, and before it in its object the list of all process groups."""
    told = _DISTRIBUTED.search(text)
    if told is None:
        return None
    try:
        info, _ = JSONDecoder().raw_decode(text[told.end() :].decode("utf-8", "replace"))
        rank = int(info["rank"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return rank if 0 <= rank < 1 << 30 else None

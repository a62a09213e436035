"""How much a parser keeps, and how it says that there was more.

Every parser bounds its memory. What it leaves out may be what is wrong, so nothing may be left out in silence: a parser
asks its limit whether there is room, and the limit tells the reader of the source when there is none. Nothing of that
source is healthy then.

Limits of parsers alone would bound little: one source may hold the lines of thousands of nodes, each with parsers of
its own. So all that is kept of a source also takes from the one ``Room`` that the source has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Hears = Callable[["Limit"], None]
MOST_OF_SOURCE = 2_000_000


class Room:
    """What all parsers of one source may keep together, and who is told of limits that are passed."""

    __slots__ = ("hears", "left")

    def __init__(self, hears: Hears, most: int = MOST_OF_SOURCE) -> None:
        self.hears = hears
        self.left = most


_room: ContextVar[Room | None] = ContextVar("room", default=None)


class Limit(int):
    """The most of one kind of thing that is kept: a number that is never passed in silence."""

    what: str
    """In the plural, as the report says it: ``jobs``, ``readings``."""

    def __new__(cls, most: int, what: str) -> Limit:
        limit = super().__new__(cls, most)
        limit.what = what
        return limit

    def has_room(self, kept: int) -> bool:
        """May one more be added to ``kept``? Ask last, when there is one to add: a no is reported."""
        if kept >= self:
            self.passed()
            return False
        return _takes(1) == 1

    def room_for(self, kept: int, wanted: int) -> int:
        """How many of ``wanted`` may be added to ``kept``, as if each was asked for with ``has_room``."""
        most = max(0, min(wanted, self - kept))
        if most < wanted:
            self.passed()
        return _takes(most)

    def first(self, found: Iterable[T]) -> list[T]:
        """As many of ``found`` as are kept."""
        left = iter(found)
        kept = list(islice(left, self))
        if len(kept) >= self and any(True for _ in left):
            self.passed()
        return kept[: _takes(len(kept))]

    def last(self, found: Sequence[T]) -> Sequence[T]:
        """As many from the end of ``found`` as are kept."""
        kept = found
        if len(found) > self:
            self.passed()
            kept = found[-self:]
        return kept[len(kept) - _takes(len(kept)) :]

    def passed(self) -> None:
        """Something was left out."""
        if (room := _room.get()) is not None:
            room.hears(self)


OF_SOURCE = Limit(MOST_OF_SOURCE, "values and messages")


def _takes(wanted: int) -> int:
    """How many of so many the source has room for."""
    room = _room.get()
    if room is None or room.left >= wanted:
        if room is not None:
            room.left -= wanted
        return wanted
    taken, room.left = room.left, 0
    room.hears(OF_SOURCE)
    return taken


@contextmanager
def kept_in(room: Room) -> Iterator[None]:
    """What parsers keep meanwhile takes from ``room``, and each limit that is passed is told to it."""
    before = _room.set(room)
    try:
        yield
    finally:
        _room.reset(before)


def not_all_kept(limit: Limit, kind: str) -> str:
    """In words, that a source holds more of ``kind`` than ``limit``."""
    whose = "" if limit is OF_SOURCE else f" of {kind}"
    return f"holds more than {limit:,} {limit.what}{whose}; not all of them were kept"

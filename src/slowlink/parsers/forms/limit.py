"""How much a parser keeps, and how it says that there was more.

Every parser bounds its memory. What it leaves out may be what is wrong, so nothing may be left out in silence: a parser
asks its limit whether there is room, and the limit tells the reader of the source when there is none. Nothing of that
source is healthy then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Hears = Callable[["Limit"], None]
_hears: ContextVar[Hears | None] = ContextVar("hears", default=None)


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
        if kept < self:
            return True
        self.passed()
        return False

    def first(self, found: Iterable[T]) -> list[T]:
        """As many of ``found`` as are kept."""
        left = iter(found)
        kept = list(islice(left, self))
        if len(kept) >= self and any(True for _ in left):
            self.passed()
        return kept

    def last(self, found: Sequence[T]) -> Sequence[T]:
        """As many from the end of ``found`` as are kept."""
        if len(found) <= self:
            return found
        self.passed()
        return found[-self:]

    def passed(self) -> None:
        """Something was left out."""
        if (hears := _hears.get()) is not None:
            hears(self)


@contextmanager
def heard_by(hears: Hears) -> Iterator[None]:
    """Each limit that is passed meanwhile is told to ``hears``."""
    before = _hears.set(hears)
    try:
        yield
    finally:
        _hears.reset(before)


def not_all_kept(limit: Limit, kind: str) -> str:
    """In words, that a source holds more of ``kind`` than ``limit``."""
    return f"holds more than {limit:,} {limit.what} of {kind}; not all of them were kept"

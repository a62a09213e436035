"""Lines that a parser refuses as long as it has taken none: it is not asked again when the same text comes again, or
one that differs by digits alone.

A parser is wanted for the shape of a line, and most that are wanted take nothing of it. Programs print the same words
again and again, so what a new parser refuses is found out once, by asking a new one: it has to say no, to be
afterwards as it was before, to have room, and to have looked at nothing else that may decide: where the line comes
from, what was said before. Then to leave it out changes nothing. A parser that is ``digits_alike`` is asked for a few
lines of one shape: with noughts for all digits, with ones, with nines, and with some by lot.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from itertools import cycle
from typing import Any, NamedTuple

from slowlink.parsers.forms.interface import LineParser, Use
from slowlink.parsers.forms.limit import Limit, Room, kept_in

_MOST_TEXTS = 1 << 16
_LONGEST = 400
_TIMES = 8
"""So often a text must come before it is tried: a trial costs as much as some ten refusals."""
NOBODY: frozenset[int] = frozenset()
_DIGITS = "0123456789"
_NOUGHTS = str.maketrans(_DIGITS, "0" * 10)
_FILLS = ("0", "1", "9", "3702915846", "5291", "84063")
"""Digits that take turns in the place of those of a line."""


class Refusals:
    """Remembers, of all sources, which of the parsers that want a text take nothing of it as long as they are new."""

    def __init__(self, parsers: tuple[type[LineParser], ...]) -> None:
        self._parsers = parsers
        self._known: dict[tuple[int, ...], dict[str, frozenset[int] | int]] = {}
        """By whether there is a rank and who want it, and by its text, or its text with noughts for digits; how often
        it came, until that is worth a trial."""
        self._count = 0
        self._new: dict[int, bytes | None] = {}

    def of(self, text: str, wanted: tuple[int, ...], *, ranked: bool) -> AbstractSet[int]:
        """Numbers of those of ``wanted`` that refuse ``text``; nobody the first times that it comes. ``ranked``: does
        it stand behind the number of a rank?"""
        shape = text.translate(_NOUGHTS)
        of_shape = self._tried(shape, wanted, ranked, is_shape=True)
        if isinstance(of_shape, int):
            return NOBODY
        of_text = self._tried(text, wanted, ranked, is_shape=False) if len(of_shape) < len(wanted) else 0
        return of_shape if isinstance(of_text, int) else of_shape | of_text

    def without(self, wanted: tuple[int, ...], text: str, *, ranked: bool) -> tuple[int, ...]:
        """Those of ``wanted`` who do not refuse all texts that differ from this one by digits alone."""
        return tuple(number for number in wanted if not self._refuses_shape(number, text, ranked))

    def _tried(self, text: str, wanted: tuple[int, ...], ranked: bool, *, is_shape: bool) -> frozenset[int] | int:
        """Who refuses ``text``, or all texts of that shape; how often it came, while that is seldom."""
        texts = self._known.get(key := (ranked, is_shape, *wanted))
        if texts is None:
            texts = self._known[key] = {}
        known = texts.get(text, 0)
        if not isinstance(known, int):
            return known
        if known == 0:
            if len(text) > _LONGEST:
                return 0
            self._count += 1
            if self._count > _MOST_TEXTS:
                self._known, self._count = {}, 0
        if known < _TIMES:
            texts[text] = known + 1
            return known
        refuses = self._refuses_shape if is_shape else self._refuses
        tried = texts[text] = frozenset(number for number in wanted if refuses(number, text, ranked))
        return tried

    def is_as_new(self, number: int, parser: LineParser) -> bool:
        """Is this parser as it was when it was made?"""
        if number not in self._new:
            self._new[number] = _state_of(self._parsers[number]())
        state = self._new[number]
        return state is not None and _state_of(parser) == state

    def _refuses_shape(self, number: int, text: str, ranked: bool) -> bool:
        unit: Any = self._parsers[number]
        if not getattr(unit, "digits_alike", False):
            return False
        filled = [_filled(text, fill) for fill in _FILLS]
        if hasattr(unit, "knows_numbers") and unit.knows_numbers(filled[0]):
            return False
        return all(self._refuses_in(number, each, _AROUND[ranked][at % 2]) for at, each in enumerate(filled))

    def _refuses(self, number: int, text: str, ranked: bool) -> bool:
        return all(self._refuses_in(number, text, around) for around in _AROUND[ranked])

    def _refuses_in(self, number: int, text: str, around: _Around) -> bool:
        unit: Any = self._parsers[number]
        if hasattr(unit, "hears") and unit.hears(text):
            return False
        parser = unit()
        passed: list[Limit] = []
        with suppress(AttributeError, TypeError), kept_in(Room(passed.append)):  # it looked at more than that
            return (
                parser.feed(_Text(text, *around)) is Use.NOT_MINE
                and not passed  # whoever has no room for a line does not refuse it
                and not parser.greedy
                and self.is_as_new(number, parser)
            )
        return False


def _filled(text: str, fill: str) -> str:
    """``text`` with these digits, in turn, in the place of its own."""
    digits = cycle(fill)
    return "".join(next(digits) if char in _DIGITS else char for char in text)


class _Around(NamedTuple):
    """What stands around a line: the answer must not depend on it."""

    no: int
    rank: int | None
    host: str | None
    stamp: str | None
    torn: bool
    part: bool


_PLAIN = _Around(1, None, None, None, torn=False, part=False)
_FULL = _Around(1 << 40, None, "node7", "2031-04-05T06:07:08.123", torn=True, part=True)
_AROUND = {False: (_PLAIN, _FULL), True: (_PLAIN._replace(rank=0), _FULL._replace(rank=3))}
"""With and without a rank."""


class _Text:
    """A line without its source, and without what was said before it."""

    __slots__ = ("host", "no", "part", "rank", "stamp", "text", "torn")

    def __init__(self, text: str, *around: Any) -> None:
        self.text = text
        self.no, self.rank, self.host, self.stamp, self.torn, self.part = around


def _state_of(parser: LineParser) -> bytes | None:
    """All that it knows, as bytes; None where that cannot be told."""
    import pickle

    try:
        return pickle.dumps(parser)
    except Exception:  # noqa: BLE001 - of whatever its state is made: it is asked each time then
        return None


_OF: dict[tuple[type[LineParser], ...], Refusals] = {}


def refusals_of(parsers: tuple[type[LineParser], ...]) -> Refusals:
    """What these parsers refused, in all sources."""
    known = _OF.get(parsers)
    if known is None:
        _OF.clear()
        known = _OF[parsers] = Refusals(parsers)
    return known

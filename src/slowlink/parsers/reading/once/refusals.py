"""Lines that a parser refuses as long as it has taken none: it is not asked again when the same text comes again.

A parser is wanted for the shape of a line, and most that are wanted take nothing of it. Node after node prints the
same texts, so what a new parser refuses is found out once, by asking a new one: it has to say no, to be afterwards as
it was before, and to have looked at nothing of the line but its text. Then to leave it out changes nothing.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any

from slowlink.parsers.forms.interface import LineParser, Use

_MOST_TEXTS = 1 << 16
_LONGEST = 400
_TIMES = 8
"""So often a text must come before it is tried: a trial costs as much as some ten refusals."""
_NUMBERS = (1, 1 << 40)
"""Lines' numbers may be looked at, as they are subtracted from one another; the answer must not depend on them."""
NOBODY: frozenset[int] = frozenset()


class Refusals:
    """Remembers, of all sources, which of the parsers that want a text take nothing of it as long as they are new."""

    def __init__(self, parsers: tuple[type[LineParser], ...]) -> None:
        self._parsers = parsers
        self._known: dict[tuple[int, ...], dict[str, frozenset[int] | int]] = {}
        """By those who want it, and its text; how often it came, until that is worth a trial."""
        self._count = 0
        self._new: dict[int, bytes | None] = {}

    def of(self, text: str, wanted: tuple[int, ...]) -> AbstractSet[int]:
        """Numbers of those of ``wanted`` that refuse ``text``; nobody the first times that it comes."""
        texts = self._known.get(wanted)
        if texts is None:
            texts = self._known[wanted] = {}
        known = texts.get(text, 0)
        if not isinstance(known, int):
            return known
        if known == 0:
            if len(text) > _LONGEST:
                return NOBODY
            self._count += 1
            if self._count > _MOST_TEXTS:
                self._known, self._count = {}, 0
        if known < _TIMES:
            texts[text] = known + 1
            return NOBODY
        tried = texts[text] = frozenset(number for number in wanted if self._refuses(number, text))
        return tried

    def is_as_new(self, number: int, parser: LineParser) -> bool:
        """Is this parser as it was when it was made?"""
        if number not in self._new:
            self._new[number] = _state_of(self._parsers[number]())
        state = self._new[number]
        return state is not None and _state_of(parser) == state

    def _refuses(self, number: int, text: str) -> bool:
        unit: Any = self._parsers[number]
        if hasattr(unit, "hears") and unit.hears(text):
            return False
        return all(self._refuses_numbered(number, _Text(text, no)) for no in _NUMBERS)

    def _refuses_numbered(self, number: int, line: _Text) -> bool:
        parser = self._parsers[number]()
        with suppress(AttributeError, TypeError):  # it looked at more than the text
            return (
                parser.feed(line) is Use.NOT_MINE  # type: ignore[arg-type]
                and not parser.greedy
                and self.is_as_new(number, parser)
            )
        return False


class _Text:
    """A line of which nothing is known but its text and its number."""

    __slots__ = ("no", "text")

    def __init__(self, text: str, no: int) -> None:
        self.text, self.no = text, no


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

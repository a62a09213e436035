"""Tables with a row of column names above them: which cell of a row belongs to which column.

Cells may be empty or hold blanks, so words are not counted where it can be helped. A column's cells begin where its
name begins, or end where its name ends. Where a paste lost these places, there has to be a word for each column; what
is left belongs to the last one, which is where tools put sentences. ``|`` between cells leaves no question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from msgspec import Struct

from slowlink.patterns import regex

MOST_CHARACTERS = 2000
_WORD = regex(r"\S{1,400}")
_WIDE = regex(r"\S {2}")


class Columns(Struct, frozen=True):
    """The columns of one table."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()
    """Where each name stands; empty where the places tell nothing."""
    bars: bool = False
    to_the_right: bool = False
    """Do cells end where their names end?"""

    def cells(self, text: str) -> Mapping[str, str]:
        """The cells of a row by column; empty where it is no row of this table."""
        text = text[:MOST_CHARACTERS].rstrip()
        if self.bars:
            parts = [part.strip() for part in text.split("|")]
            return dict(zip(self.names, parts, strict=False)) if len(parts) >= len(self.names) else {}
        return (self._by_place(text) if self.spans else {}) or self._by_order(text)

    def _by_place(self, text: str) -> Mapping[str, str]:
        """Cells by where they stand; empty where too few of them stand at a name."""
        cells: dict[str, list[str]] = {name: [] for name in self.names}
        at_names = 0
        for word in _WORD.finditer(text):
            at = next(
                (n for n, (begin, end) in enumerate(self.spans) if word.start() == begin or word.end() == end), -1
            )
            at_names += at >= 0
            cells[self.names[at if at >= 0 else self._column(word.start(), word.end())]].append(word.group())
        filled = sum(map(bool, cells.values()))
        if filled < 2 or 2 * at_names < filled:
            return {}
        return {name: " ".join(words) for name, words in cells.items()}

    def _column(self, start: int, end: int) -> int:
        """Of a word that stands at no name: the column whose room it is in."""
        if self.to_the_right:
            return next((n for n, (_, last) in enumerate(self.spans) if end <= last), len(self.spans) - 1)
        return max((n for n, (begin, _) in enumerate(self.spans) if begin <= start), default=0)

    def _by_order(self, text: str) -> Mapping[str, str]:
        words = text.split()
        last = len(self.names) - 1
        if len(words) <= last:
            return {}
        return dict(zip(self.names, (*words[:last], " ".join(words[last:])), strict=True))


def columns_of(
    text: str, needed: Collection[str], two_words: Collection[str] = (), *, to_the_right: bool = False
) -> Columns | None:
    """The columns that ``text`` names; None where one of the ``needed`` is not among them, or a name stands twice.

    ``two_words``: names that hold a blank."""
    text = text[:MOST_CHARACTERS].rstrip()
    if "|" in text:
        parts = tuple(part.strip() for part in text.strip("|").split("|"))
        return Columns(parts, bars=True) if _is_heading(parts, needed) else None
    found = [(word.start(), word.end()) for word in _WORD.finditer(text)]
    spans = _joined(text, found, two_words)
    names = tuple(text[begin:end] for begin, end in spans)
    if not _is_heading(names, needed):
        return None
    return Columns(names, tuple(spans) if _WIDE.search(text) else (), to_the_right=to_the_right)


def _joined(text: str, spans: list[tuple[int, int]], two_words: Collection[str]) -> list[tuple[int, int]]:
    """With the words of a name that has two put together."""
    pairs = {first: (first[0], second[1]) for first, second in pairwise(spans)}
    whole = {first: both for first, both in pairs.items() if text[slice(*both)] in two_words}
    seconds = {both[1] for both in whole.values()}
    return [whole.get(span, span) for span in spans if span in whole or span[1] not in seconds]


def _is_heading(names: tuple[str, ...], needed: Collection[str]) -> bool:
    return bool(names) and len(set(names)) == len(names) and set(needed) <= set(names)

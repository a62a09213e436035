"""Literal texts that stand in the lines of a format: the cheap test before any pattern.

A hundred parsers ask about each new line, most of them by such texts. All these texts are one automaton (Aho and
Corasick, 1975): who asks about a line first has it searched for everything at once, the others look their answer up.

A line break in a literal is an edge of the line, blanks aside: ``\\nError`` begins a line, indented or not, ``:\\n``
ends one, and ``\\n `` stands in each line that is indented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ahocorasick_rs import AhoCorasick
from msgspec import Struct


def hexadecimal_pairs(letters: str = "abcdef") -> tuple[str, ...]:
    """Forms of all hexadecimal numbers of two digits: ``0`` of 10, ``0f`` of 1f, ``ff``."""
    return ("0", *(pair for one in letters for pair in (f"0{one}", f"{one}0", *(f"{one}{other}" for other in letters))))


class _Search:
    """Every literal of every set, and which sets have one in the text that was searched last."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        """How a text is read before it is searched."""
        self._places: dict[str, int] = {}
        """Literal -> its number in the automaton."""
        self._bits: list[int] = []
        """By these numbers: a bit for each set that it belongs to."""
        self._known: dict[frozenset[str], int] = {}
        self._automaton: AhoCorasick | None = None
        self._text: str | None = None
        self._held = 0

    def add(self, literals: tuple[str, ...]) -> int:
        """The bit of a set."""
        same = frozenset(literals)
        bit = self._known.get(same)
        if bit is None:
            bit = self._known[same] = 1 << len(self._known)
            self.expect(literals)
            for literal in literals:
                self._bits[self._places[literal]] |= bit
            self._text = None
        return bit

    def expect(self, literals: Iterable[str]) -> None:
        """Search for these from now on: a set of them that comes later needs no new automaton."""
        for literal in literals:
            if literal not in self._places:
                self._places[literal] = len(self._places)
                self._bits.append(0)
                self._automaton = self._text = None

    def texts(self) -> tuple[str, ...]:
        """All that are searched for."""
        return tuple(self._places)

    def assume(self, text: str | None, held: int = 0) -> None:
        """Give this answer for ``text`` until another text is searched."""
        self._text, self._held = text, held

    def held_in(self, text: str) -> int:
        """The bits of all sets that have a literal in ``text``."""
        if text is self._text:
            return self._held
        if self._automaton is None:
            self._automaton = AhoCorasick(list(self._places))
        held = 0
        for index, _, _ in self._automaton.find_matches_as_indexes(_with_edges(self._read(text)), overlapping=True):
            held |= self._bits[index]
        self._text, self._held = text, held
        return held


_MOST_KNOWN = 10_000
"""Answers of one choice that are remembered."""
_NO_DIGITS = str.maketrans("123456789", "000000000")


def _as_written(text: str) -> str:
    """A byte that was no UTF-8 has no place in a text of it, and stands in no literal."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _with_edges(text: str) -> str:
    """``text`` and what it is without the blanks around it, with line breaks for the edges."""
    bare = text.strip()
    if len(bare) == len(text):
        return f"\n{text}\n"
    return f"\n{text}\n{bare}\n " if text[:1].isspace() else f"\n{text}\n{bare}\n"


def folded(text: str) -> str:
    """Small letters, and 0 for every digit: all lines of one shape are alike."""
    return _as_written(text.translate(_NO_DIGITS).lower())


_AS_WRITTEN, _FOLDED = _Search(_as_written), _Search(folded)


class Texts(Struct, frozen=True):
    """All literals of all sets."""

    as_written: tuple[str, ...]
    folded: tuple[str, ...]


def all_texts() -> Texts:
    """Those of the sets that were made so far."""
    return Texts(tuple(sorted(_AS_WRITTEN.texts())), tuple(sorted(_FOLDED.texts())))


def expect(texts: Texts) -> None:
    """Sets of these will be made: parsers are imported one by one, and no new automaton is to be made for each."""
    _AS_WRITTEN.expect(texts.as_written)
    _FOLDED.expect(texts.folded)


class Literals:
    """A set of literal texts; none of them is empty."""

    __slots__ = ("bit", "search", "texts")

    def __init__(self, literals: Iterable[str], *, fold: bool = False) -> None:
        """With ``fold``, upper case and the digits themselves make no difference; the literals are ``folded``."""
        self.texts = tuple(literals)
        self.search = _FOLDED if fold else _AS_WRITTEN
        self.bit = self.search.add(self.texts)

    @property
    def folds(self) -> bool:
        """Do upper case and digits make no difference?"""
        return self.search is _FOLDED

    def in_(self, text: str) -> bool:
        """Does one of them stand in ``text``?"""
        return self.search.held_in(text) & self.bit != 0


class Choice:
    """Several sets, of which one search tells all that have a literal in a text."""

    def __init__(self, sets: Sequence[Literals | None]) -> None:
        """None for a set that has no literals and always counts."""
        self._sets = tuple(sets)
        self._masks: dict[_Search, int] = {}
        for each in sets:
            if each is not None:
                self._masks[each.search] = self._masks.get(each.search, 0) | each.bit
        self._known: dict[tuple[int, ...], tuple[int, ...]] = {}

    def of(self, text: str) -> Held:
        """The sets that have one of their literals in ``text``."""
        bits = [(search, search.held_in(text)) for search in self._masks]
        held = tuple([found & self._masks[search] for search, found in bits])
        numbers = self._known.get(held)
        if numbers is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            of_search = dict(zip(self._masks, held, strict=True))
            chosen = (n for n, each in enumerate(self._sets) if each is None or each.bit & of_search[each.search])
            numbers = self._known[held] = tuple(chosen)
        return Held(numbers, bits)


class Held:
    """What was found in a text."""

    __slots__ = ("_bits", "numbers")

    def __init__(self, numbers: tuple[int, ...], bits: list[tuple[_Search, int]]) -> None:
        self.numbers = numbers
        """Of the sets that have one of their literals there, in order."""
        self._bits = bits

    def filter(self, text: str, asks: Callable[[int, str], bool]) -> tuple[int, ...]:
        """The numbers of which ``asks`` says yes to ``text``, whose literals are not searched again."""
        if not self.numbers:
            return ()
        for search, held in self._bits:
            search.assume(text, held)
        found = tuple([number for number in self.numbers if asks(number, text)])
        for search, _ in self._bits:
            search.assume(None)
        return found

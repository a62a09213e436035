"""Lines that a parser reads as rows of numbers, many at a time.

A training loop prints one line a step, a million times, and all that differs between two lines is their digits. A
parser that knows where its numbers stand in all lines of one *shape* says so once (``row``); then it gets columns of
numbers (``feed_rows``) in place of lines, with the same result as if it had been fed each line.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use

NO_NUMBER = (1 << 64) - 1
"""Of a row that has none."""


class Row(NamedTuple):
    """What a parser makes of every line of one shape, whatever digits stand in it."""

    meaning: Any = None
    """What the parser needs to know to read the numbers; hashable."""
    value: slice | None = None
    """Where a number above zero stands, with decimals, an exponent or commas, as it may be. A line with a zero there is
    fed as a line."""
    number: slice | None = None
    """Where a number of at most ten digits stands."""
    use: Use = Use.USED
    """One for all of them. A parser whose they are not gets none."""
    without_rank: bool = False
    """Is that so only where no launcher names the rank?"""


NOT_MINE = Row(use=Use.NOT_MINE)


class Rows:
    """Rows that one parser gets at once, in order of lines."""

    __slots__ = ("_line_of", "meanings", "numbers", "places", "values")

    def __init__(
        self,
        meanings: Sequence[Any],
        values: array[float],
        numbers: array[int],
        places: Sequence[int],
        line_of: Callable[[int], Line],
    ) -> None:
        self.meanings = meanings
        """Of each row."""
        self.values = values
        """Meaningless where a row has none."""
        self.numbers = numbers
        self.places = places
        self._line_of = line_of

    def __len__(self) -> int:
        return len(self.values)

    def kinds(self) -> set[Any]:
        """All meanings that there are."""
        return set(self.meanings)

    def line(self, row: int) -> Line:
        """The whole line of a row: dear, and needed for evidence alone."""
        return self._line_of(self.places[row])

    def apart(self, key_of: Callable[[Any], Any]) -> Iterator[tuple[Any, Rows]]:
        """The rows of each ``key_of`` a meaning, in order of lines; the key that comes first first."""
        keys = {meaning: key_of(meaning) for meaning in dict.fromkeys(self.meanings)}
        each = dict.fromkeys(keys.values())
        if len(each) == 1:
            yield next(iter(each)), self
            return
        for key in each:
            yield key, self.some([row for row, meaning in enumerate(self.meanings) if keys[meaning] == key])

    def some(self, rows: Sequence[int]) -> Rows:
        """These rows alone."""
        return Rows(
            [self.meanings[row] for row in rows],
            array("d", [self.values[row] for row in rows]),
            array("Q", [self.numbers[row] for row in rows]),
            [self.places[row] for row in rows],
            self._line_of,
        )

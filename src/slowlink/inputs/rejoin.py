"""Lines that were broken on their way here: by a terminal at its width, or a table's row over the cells of a page.

What was one line becomes one again, and blank lines follow it, so that all others keep their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import pairwise, repeat

from slowlink.patterns import regex

MOST_LINES = 64
"""A longer run of broken lines is something else."""
MOST_CHARACTERS = 1 << 15
_NARROWEST, _WIDEST = 60, 400
_LEAST_FULL = 4
_LONGEST_RUN = 4
"""Full lines stand together in as many as one line fills, on average; the rows of a table do in all."""
_LOOKED_AT = 5
"""Characters by which the beginning of a line is known."""
_FRESH_AT_MOST = 0.2
"""Of the lines behind full ones, this share may begin like others: more, and the lines were cut and not wrapped."""
_TORN, _LEAST_TORN = 0.1, 2
"""Of the different places where lines were broken, this share lies inside a word: a terminal looks at no words."""
_FEW_BEGINS = 3
"""A log whose other lines all begin in so few ways, and none behind a full one, needs to be torn in one place."""
_RULERS = regex(r"[|+\-=*_#~│┤┘┐─═]\s*\Z")
_DIGIT = regex(r"[0-9]")

Goes = Callable[[str, str], bool]
"""(what is there of a line, the next line): does it go on there?"""


def rejoined(lines: Iterable[str], goes_on: Goes) -> Iterator[str]:
    """``lines`` without line ends, those that go on in the next one put together."""
    held: list[str] = []
    length = 0
    for line in lines:
        if held and len(held) < MOST_LINES and length + len(line) < MOST_CHARACTERS and goes_on(held[-1], line):
            held.append(line)
            length += len(line)
            continue
        yield from _one(held)
        held, length = [line], len(line)
    yield from _one(held)


def _one(held: Sequence[str]) -> Iterator[str]:
    if held:
        yield "".join(held)
        yield from [""] * (len(held) - 1)


def wrapped_at(lines: Sequence[str]) -> Goes | None:
    """How a terminal wrapped these lines; None where nothing shows it.

    No line is longer than its width, several are exactly as long, words are torn at their ends, and what follows does
    not begin as lines of this text do. Tables drawn in boxes are as wide in every line, and no row is whole without
    its end.
    """
    lengths = list(map(len, lines))
    width = max(lengths, default=0)
    if not _NARROWEST <= width <= _WIDEST or lengths.count(width) < _LEAST_FULL:
        return None
    full = {number for number, length in enumerate(lengths[:-1]) if length == width}
    drawn = sum(_RULERS.search(lines[number]) is not None for number in full)
    runs = sum(number + 1 not in full for number in full)
    if len(full) < _LEAST_FULL or 2 * drawn > len(full) or _LONGEST_RUN * runs < len(full):
        return None
    behind = {number + 1 for number in full}
    fresh = {_begin(line) for number, line in enumerate(lines) if number not in behind and line.strip()}
    alike = sum(_begin(lines[number]) in fresh for number in behind)
    places = {(lines[number][-_LOOKED_AT:], lines[number + 1][:_LOOKED_AT]) for number in full}
    torn = sum(map(_is_torn, places, repeat(_ends_in_blanks(lines, full))))
    least = 1 if len(fresh) <= _FEW_BEGINS and not alike else _LEAST_TORN
    if alike > _FRESH_AT_MOST * len(full) or torn < max(least, _TORN * len(places)):
        return None
    if _is_table([lines[number] for number in sorted(full | behind)], width):
        return None

    def goes_on(before: str, line: str) -> bool:
        return len(before) == width and bool(line) and (line[0] == " " or _begin(line) not in fresh)

    return goes_on


def _ends_in_blanks(lines: Sequence[str], full: Set[int]) -> bool:
    """Does some other line end in a blank? Then blanks at the ends of full ones say nothing."""
    return any(line.endswith(" ") for number, line in enumerate(lines) if number not in full)


def _is_torn(place: tuple[str, str], blanks: bool) -> bool:
    """Is this place inside a word, or behind a blank that no program would print at the end of a line?"""
    before, after = place
    return before[-1].isalnum() and after[:1].isalnum() if before[-1] != " " else not blanks and after[:1].isalnum()


def _is_table(lines: Sequence[str], width: int) -> bool:
    """Are these rows whose last cells are as wide as each other? The same blanks part the columns of all. In a table
    that was wrapped, what is left of each row is shorter."""
    rows = [line for line in lines if len(line) == width]
    if 2 * (len(lines) - len(rows)) > len(rows):
        return False
    blank = [all(row[at] == " " for row in rows) for at in range(width)]
    begin = blank.index(False) if False in blank else width
    return any(here and after for here, after in pairwise(blank[begin:]))


def _begin(line: str) -> str:
    return _DIGIT.sub("0", line[:_LOOKED_AT])


def row_goes_on(before: str, line: str) -> bool:  # noqa: ARG001  (the signature of Goes)
    """Cells of one row of a page's table, one below the other."""
    start = line.lstrip().lower()
    return start.startswith(("<td", "<th", "</tr")) and not start.startswith("<thead")

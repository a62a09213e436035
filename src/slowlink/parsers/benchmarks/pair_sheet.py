"""Sheets of pairs of nodes as Markdown, CSV or columns between tabs: what sweeps over pairs leave, a row a test.

For example::

    | file | test | N | G | nodes | AvgBusBW (GB/s) |
    |---|---|---|---|---|---|
    | run_hx01_hx06.log | all_reduce_perf | 2 | 8 | hx[01,06] | 231.2 |

    when;collective;server;client;size;busbw_gbs
    2026-03-01 10:02;all_reduce;hx01;hx06;8589934592;231.2

Nobody's format: the heading must call a column bandwidth, and the rows must name two nodes each. Which column is what
shows when the table is whole (``pair_sheets.py``). A cell without a number is a test that failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.benchmark import PairTable
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.pair_amounts import has_unit
from slowlink.parsers.benchmarks.pair_rows import HEADING_WORDS, SAYS_BANDWIDTH
from slowlink.parsers.benchmarks.pair_sheets import NODE_COLUMN, SheetRow, names_node, says_pair, sheet_table
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_MARKS = ("|", "\t", ";", ",")
_NAME = r"[A-Za-z][\w.-]*\d[\w.-]*"
_TWO = regex(
    rf"(?:^|[|,;\t])\W{{0,9}}{_NAME}(?:\[\d[\d,-]{{0,40}}\]|\W{{1,9}}(?:(?:to|and|vs)\W{{1,4}})?{_NAME}|[-_:]{_NAME})\W{{0,9}}(?:[|,;\t]|$)"
    r"|[|,;\t]\W{0,9}[A-Za-z][\w.-]*\[\d[\d,-]{0,40}\]"
)
"""Two names in cells beside one another, or in one; or a set of them."""
_APART = regex(r"[|,;\t].*[|,;\t]")
_RULER = regex(r"[\s|:+-]{3,4000}")
_FREE_NUMBER = regex(r"(?<![\w.])\d{1,12}(?![\w])")
_LONGEST, _CELLS = 2000, 60
MAX_ROWS = Limit(200_000, "rows of sheets of pairs")


class PairSheets:
    """Collects the rows under a heading; whether they are tests of pairs shows at the end."""

    kind: ClassVar[str] = "pair-sheet"
    literals: ClassVar[Literals] = Literals(("0", *HEADING_WORDS), fold=True)
    last_resort: ClassVar[int] = 1

    def __init__(self) -> None:
        self._done: list[PairTable] = []
        self._open((), "")

    @staticmethod
    def gate() -> Gate:
        return (anywhere(_TWO), anywhere(r"[|,;\t].*[|,;\t]")), (
            anywhere(SAYS_BANDWIDTH),
            anywhere(r"[|,;\t].*[|,;\t]"),
        )

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > _LONGEST or sum(map(text.count, _MARKS)) < 2:  # fewer than three cells, as nearly all lines have
            return False
        return bool(_heading(text)[0]) or (_TWO.search(text) is not None and _APART.search(text) is not None)

    @property
    def greedy(self) -> bool:
        return bool(self._heading)

    def feed(self, line: Line) -> Use:
        heading, mark = _heading(line.text)
        if heading and heading == self._heading:
            return Use.IGNORED  # printed again above the next page of the same sheet
        if heading:
            self._close()
            self._open(heading, mark)
            # Without a word of nodes it may be somebody else's; the rows will show.
            return Use.IGNORED if any(map(NODE_COLUMN.fullmatch, heading)) else Use.NOT_MINE
        if not self._heading:
            return Use.NOT_MINE
        if _RULER.fullmatch(line.text) and not self._rows:
            return Use.IGNORED
        cells = tuple(cells_of(line.text, self._mark))
        if len(cells) != len(self._heading) and not names_node(cells):
            self._close()
            return Use.NOT_MINE
        if not MAX_ROWS.has_room(len(self._rows) + len(self._strange)):
            return Use.USED if says_pair(cells) else Use.NOT_MINE
        if len(cells) != len(self._heading):
            self._strange.append(line.ref())
            return Use.NOT_MINE
        self._rows.append(SheetRow(cells, line.ref()))
        return Use.USED if says_pair(cells) else Use.NOT_MINE

    def finish(self) -> Iterable[PairTable]:
        self._close()
        return self._done

    def _open(self, heading: tuple[str, ...], mark: str) -> None:
        self._heading, self._mark = heading, mark
        self._rows: list[SheetRow] = []
        self._strange: list[Ref] = []
        """Rows of more or fewer cells than the heading has."""

    def _close(self) -> None:
        table = sheet_table(self._heading, self._rows, strange=self._strange)
        if table is not None:
            self._done.append(table)
        self._open((), "")


def _heading(text: str) -> tuple[tuple[str, ...], str]:
    """The names of the columns and what stands between them; nothing where it is no heading of a sheet."""
    if len(text) > _LONGEST or _FREE_NUMBER.search(text) or not SAYS_BANDWIDTH.search(text):
        return (), ""
    mark = next((mark for mark in _MARKS if text.count(mark) >= 2), "")
    cells = tuple(cells_of(text, mark)) if mark else ()
    if any(map(has_unit, cells)):
        return (), ""  # a row whose amounts have units
    sound = 3 <= len(cells) <= _CELLS and all(len(cell) <= 40 for cell in cells) and all(cells[1:-1])
    return (cells, mark) if sound and any(map(SAYS_BANDWIDTH.search, cells)) else ((), "")


def cells_of(text: str, mark: str) -> list[str]:
    """The cells of a row; what stands in quotes or brackets is one."""
    text = text.strip()
    if mark == "|":
        text = text.strip("|")
    cells, cell, quoted, depth = [], "", False, 0
    for char in text:
        if char == '"':
            quoted = not quoted
        depth += (char == "[") - (char == "]") if not quoted else 0
        if char == mark and not quoted and depth <= 0:
            cells.append(cell.strip())
            cell = ""
        elif char != '"':
            cell += char
    return [*cells, cell.strip()]


PARSER = PairSheets

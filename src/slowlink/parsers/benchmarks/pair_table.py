"""Bandwidth of pairs of nodes, one row a pair, as scripts of all kinds print it.

Nobody's format, so the rows themselves must show what they are::

    node A - node B     busbw out   busbw in  #wrong
    hx01 - hx06            231.24     231.02       0
    hx01 - hx07            230.87     230.91       0

    hx01<->hx06: 231 GB/s
    hx01,hx06,231.2

    hx01 hx06 # Avg bus bandwidth    : 231.2

A row is two names that look like hosts and are no devices, then numbers. Words may stand before a row's only number
where they or its unit call it a bandwidth; three such rows are enough. Six rows of others make a table when the names
are built alike and come again in other rows: a list of pairs that were tested, not of anything else. The bandwidth is
the column that the heading calls so, the number with a unit of bandwidth, or the first column with decimals. A table
whose heading or units speak of time, loss or sizes alone is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.benchmark import PairTable
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.pair_rows import (
    HEADING,
    HEADING_WORDS,
    JOINED,
    ROW,
    SAYS_BANDWIDTH,
    SAYS_OTHER,
    PairRow,
    could_be_row,
    heading_cells,
    is_heading,
    lonely_rows,
    read_row,
    table_of,
    with_numbers,
)
from slowlink.parsers.forms.gates import Gate, anywhere, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals

_GAP = 4
"""Lines between two rows of one table."""
MAX_ROWS = Limit(500_000, "rows")


class PairTables:
    """Collects rows; whether they are a table shows at its end."""

    kind: ClassVar[str] = "pair-table"
    literals: ClassVar[Literals] = Literals(("0", *HEADING_WORDS), fold=True)
    last_resort: ClassVar[int] = 1

    def __init__(self) -> None:
        self._done: list[PairTable] = []
        self._rows: list[PairRow] = []
        self._heading: str = ""
        self._last = -_GAP

    @staticmethod
    def gate() -> Gate:
        return (at_start(*map(with_numbers, (ROW, JOINED))),), (
            at_start(HEADING),
            anywhere(SAYS_BANDWIDTH, SAYS_OTHER),
        )

    @staticmethod
    def wants(text: str) -> bool:
        return could_be_row(text) or is_heading(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if is_heading(line.text):
            self._close()
            self._heading, self._last = line.text, line.no
            return Use.IGNORED
        row = read_row(line)
        if row is None:
            return Use.NOT_MINE
        if line.no - self._last > _GAP:
            self._close()
        if not self._rows and not self._heading and heading_cells(line.before):
            self._heading = line.before
        self._last = line.no
        if MAX_ROWS.has_room(len(self._rows)):
            self._rows.append(row)
        return Use.USED

    def finish(self) -> Iterable[PairTable]:
        self._close()
        return self._done

    def _close(self) -> None:
        table = table_of(self._rows, self._heading) or lonely_rows(self._rows, self._heading)
        if table is not None:
            self._done.append(table)
        self._rows, self._heading = [], ""


PARSER = PairTables

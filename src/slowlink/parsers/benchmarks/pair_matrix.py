"""Bandwidth of pairs of nodes as a matrix: names across, the same names down, as people and their scripts make it.

Nobody's format: Markdown, CSV, or columns::

    | |hx01|hx02|hx03|
    |---|---|---|---|
    |**hx01**|-|186.6|187.6|
    |**hx02**|186.6|-|95.0|
    |**hx03**|187.5|94.8|-|

The names must be built alike and no devices; rows belong to it as long as they begin with a name of the heading. What
the numbers are of is told by the line above (a unit, or the word), as for a table with one row a pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.averages import median
from slowlink.model.benchmark import PairBandwidth, PairFailure, PairTable
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.pair_rows import SAYS_BANDWIDTH, SAYS_OTHER, are_alike, says_bandwidth, unit_of
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.node_headings import is_part
from slowlink.patterns import regex

_NAME = r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}"
_NUMBERED = r"[A-Za-z][\w.-]*\d[\w.-]*"
"""The same without look-ahead, for the gate, which needs a begin alone."""
_APART = r"[\s|,;*`\"]{1,40}"
_EDGE = r"[\s|,;*`\"]{0,40}"
_CELL = r"(?:\d{1,7}(?:\.\d{1,6})?|-{1,3}|[xX]|[nN]/?[aA]|[nN]a[nN]|fail(?:ed)?|FAIL(?:ED)?|timeout|TIMEOUT)"
_LABEL = rf"(?:[A-Za-z\\/>-]{{1,12}}{_APART})?"
_HEADING = regex(rf"{_EDGE}{_LABEL}{_NAME}(?:{_APART}{_NAME}){{2,2000}}{_EDGE}$")
_ROW = regex(rf"{_EDGE}{_NAME}(?:{_APART}{_CELL}){{3,2000}}{_EDGE}$")
_RULER = regex(r"[\s|:+-]{3,4000}$")
_OF_A_TABLE = regex(r"[|,;\t]")
_CUT = regex(_APART)
_NUMBER = regex(r"\d{1,7}(?:\.\d{1,6})?")
_FAILED = regex(r"(?i)fail(?:ed)?|timeout")
_FEWEST = 3
"""Names: with two there is one pair."""
MAX_PAIRS = Limit(500_000, "pairs of a matrix")


class PairMatrix:
    """Collects the rows under a heading; whether they are a matrix of nodes shows at its end."""

    kind: ClassVar[str] = "pair-matrix"
    literals: ClassVar[Literals] = Literals(("0",))

    def __init__(self) -> None:
        self._done: list[PairTable] = []
        self._count = 0
        self._open(None, ())

    @staticmethod
    def gate() -> Gate:
        two = rf"{_EDGE}{_LABEL}{_NUMBERED}{_APART}{_NUMBERED}"
        return ((at_start(two, rf"{_EDGE}{_NUMBERED}{_APART}{_CELL}"),),)

    @staticmethod
    def wants(text: str) -> bool:
        return _HEADING.match(text) is not None or _ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return bool(self._names) and not self._rows

    def feed(self, line: Line) -> Use:
        if _HEADING.match(line.text):
            return self._feed_heading(line)
        if not self._names:
            return Use.NOT_MINE
        if _RULER.fullmatch(line.text) and not self._rows:
            return Use.IGNORED
        cells = [cell for cell in _CUT.split(line.text) if cell] if _ROW.match(line.text) else []
        if not cells or cells[0] not in self._names or len(cells) != len(self._names) + 1:
            self._close()
            return Use.NOT_MINE
        self._rows.append(line)
        for other, cell in zip(self._names, cells[1:], strict=True):
            self._take(line, cells[0], other, cell)
        return Use.USED

    def finish(self) -> Iterable[PairTable]:
        self._close()
        return self._done

    def _feed_heading(self, line: Line) -> Use:
        self._close()
        names = tuple(cell for cell in _CUT.split(line.text) if any(map(str.isdecimal, cell)))
        if len(set(names)) != len(names) or len(names) < _FEWEST or any(map(is_part, names)) or not are_alike(names):
            return Use.NOT_MINE
        self._open(line, names)
        # Names with blanks between them may be a list of nodes, which others read.
        return Use.IGNORED if _OF_A_TABLE.search(line.text) else Use.NOT_MINE

    def _open(self, heading: Line | None, names: tuple[str, ...]) -> None:
        self._heading, self._names = heading, names
        self._rows: list[Line] = []
        self._pairs: list[PairBandwidth] = []
        self._failed: list[PairFailure] = []

    def _take(self, line: Line, a: str, b: str, cell: str) -> None:
        if a == b or not MAX_PAIRS.has_room(self._count):
            return
        if _NUMBER.fullmatch(cell):
            self._count += 1
            self._pairs.append(PairBandwidth(a, b, "", float(cell), line.ref()))
        elif _FAILED.fullmatch(cell):
            self._failed.append(PairFailure(a, b, "", line.ref()))

    def _close(self) -> None:
        heading, rows, pairs = self._heading, self._rows, self._pairs
        if heading is not None and len(rows) >= _FEWEST and pairs:
            above = heading.before
            if not SAYS_OTHER.search(above) or SAYS_BANDWIDTH.search(above):
                told = says_bandwidth(above, median(each.amount for each in pairs))
                self._done.append(PairTable(tuple(pairs), tuple(self._failed), unit_of(above), rows[0].ref(), told))
        self._open(None, ())


PARSER = PairMatrix

"""Bandwidth of pairs of nodes as a matrix: names across, the same names down, as people and their scripts make it.

Nobody's format: Markdown, CSV, or columns::

    | |hx01|hx02|hx03|
    |---|---|---|---|
    |**hx01**|-|186.6|187.6|
    |**hx02**|186.6|-|95.0|
    |**hx03**|187.5|94.8|-|

The names must be built alike and no devices; rows belong to it as long as they begin with a name of the heading. One
half may be missing, or the diagonal, or both. What the numbers are of is told by the line above (a unit, or the
word), as for a table with one row a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

from slowlink.averages import median
from slowlink.model.benchmark import PairBandwidth, PairFailure, PairTable
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.pair_rows import SAYS_BANDWIDTH, SAYS_OTHER, says_bandwidth, unit_of
from slowlink.parsers.forms.fronts.node_headings import are_alike, are_parts
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_NAME = r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}"
_NUMBERED = r"[A-Za-z][\w.-]*\d[\w.-]*"
"""The same without look-ahead, for the gate, which needs a begin alone."""
_APART = r"[\s|,;*`\"]{1,40}"
_EDGE = r"[\s|,;*`\"]{0,40}"
_UNIT = r"[GMgm]i?[Bb](?:it)?(?:/s(?:ec)?|ps)"
_NO_NUMBER = r"(?:-{1,3}|[—–.·*xX]|[nN]/?[aA]|[nN]a[nN]|self)"
_CELL = rf"(?:\d{{1,7}}(?:\.\d{{1,6}})?(?:{_UNIT})?|{_NO_NUMBER}|fail(?:ed)?|FAIL(?:ED)?|timeout|TIMEOUT)"
_LABEL = rf"(?:[A-Za-z\\/>()_-]{{1,12}}(?: [A-Za-z\\/>()_-]{{1,12}})?{_APART})?"
_HEADING = regex(rf"{_EDGE}{_LABEL}{_NAME}(?:{_APART}{_NAME}){{2,2000}}{_EDGE}$")
_ROW = regex(rf"{_EDGE}{_NAME}(?:{_APART}{_CELL}){{0,2000}}{_EDGE}$")
_WHOLE_ROW = regex(rf"{_EDGE}{_NAME}(?:{_APART}{_CELL}){{3,2000}}{_EDGE}$")
"""One that is wanted without its heading; the short ones of a half are seen because its heading is greedy."""
_RULER = regex(r"[\s|:+-]{3,4000}$")
_OF_A_TABLE = regex(r"[|,;\t]")
_CUT = regex(_APART)
_NUMBER = regex(rf"(?P<number>\d{{1,7}}(?:\.\d{{1,6}})?)(?P<unit>{_UNIT})?")
_FAILED = regex(r"(?i)fail(?:ed)?|timeout")
_FEWEST = 3
"""Names: with two there is one pair."""
_SPANS: tuple[Callable[[int, int], Sequence[int]], ...] = (
    lambda _, count: range(count),
    lambda at, count: range(at, count),
    lambda at, count: range(at + 1, count),
    lambda at, _: range(at + 1),
    lambda at, _: range(at),
    lambda at, count: (*range(at), *range(at + 1, count)),
)
"""The columns that the row of the name at a place holds, of so many: all, one half with the diagonal, one without, all
but the diagonal."""
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
        return _HEADING.match(text) is not None or _WHOLE_ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return bool(self._names) and self._spans != list(_SPANS[:1])

    def feed(self, line: Line) -> Use:
        if _HEADING.match(line.text):
            return self._feed_heading(line)
        if not self._names:
            return Use.NOT_MINE
        if _RULER.fullmatch(line.text) and not self._rows:
            return Use.IGNORED
        cells = [cell for cell in _CUT.split(line.text) if cell] if _ROW.match(line.text) else []
        spans = self._spans_of(cells) if cells and cells[0] in self._names else []
        if not spans:
            self._close()
            return Use.NOT_MINE
        self._spans[:] = spans
        if MAX_PAIRS.has_room(self._count):
            self._count += len(cells)
            self._rows.append((line, cells))
        return Use.USED

    def _spans_of(self, cells: Sequence[str]) -> list[Callable[[int, int], Sequence[int]]]:
        """Those of the forms so far whose row of this name has as many cells."""
        at, count = self._names.index(cells[0]), len(self._names)
        return [span for span in self._spans if len(span(at, count)) == len(cells) - 1]

    def finish(self) -> Iterable[PairTable]:
        self._close()
        return self._done

    def _feed_heading(self, line: Line) -> Use:
        self._close()
        names = tuple(cell for cell in _CUT.split(line.text) if any(map(str.isdecimal, cell)))
        if len(set(names)) != len(names) or len(names) < _FEWEST or are_parts(names) or not are_alike(names):
            return Use.NOT_MINE
        self._open(line, names)
        # Names with blanks between them may be a list of nodes, which others read.
        return Use.IGNORED if _OF_A_TABLE.search(line.text) else Use.NOT_MINE

    def _open(self, heading: Line | None, names: tuple[str, ...]) -> None:
        self._heading, self._names = heading, names
        self._spans: list[Callable[[int, int], Sequence[int]]] = list(_SPANS)
        self._rows: list[tuple[Line, list[str]]] = []

    def _cells(self) -> Iterator[tuple[str, str, str, Ref]]:
        """Both nodes and what stands there, but for the diagonal."""
        for line, (a, *cells) in self._rows:
            span = self._spans[0](self._names.index(a), len(self._names))
            for b, cell in zip((self._names[at] for at in span), cells, strict=True):
                if a != b:
                    yield a, b, cell, line.ref()

    def _table(self, above: str) -> PairTable | None:
        measured: list[PairBandwidth] = []
        failed: list[PairFailure] = []
        cells = list(self._cells())
        numbers = [_NUMBER.fullmatch(cell) for _, _, cell, _ in cells]
        units = Counter(found["unit"] for found in numbers if found is not None and found["unit"])
        assert self._heading is not None
        unit = unit_of(self._heading.text) or unit_of(above) or max(units, key=lambda each: units[each], default="")
        for (a, b, cell, ref), found in zip(cells, numbers, strict=True):
            if found is not None and found["unit"] in (None, unit):
                measured.append(PairBandwidth(a, b, "", float(found["number"]), ref))
            elif _FAILED.fullmatch(cell):
                failed.append(PairFailure(a, b, "", ref))
        if not measured or (not unit and SAYS_OTHER.search(above) and not SAYS_BANDWIDTH.search(above)):
            return None
        told = bool(unit) or says_bandwidth(above, median(each.amount for each in measured))
        known = {name for each in measured for name in (each.a, each.b)} | {
            name for each in failed for name in (each.a, each.b)
        }
        # Amounts in another unit, and rows of nodes of which no cell says anything.
        strange = [
            ref
            for (_, _, _, ref), found in zip(cells, numbers, strict=True)
            if found and found["unit"] not in (None, unit)
        ]
        strange += [line.ref() for line, (name, *_) in self._rows if name not in known]
        return PairTable(
            tuple(measured),
            tuple(failed),
            unit,
            self._rows[0][0].ref(),
            told,
            tuple(dict.fromkeys(strange)),
        )

    def _close(self) -> None:
        if self._heading is not None and len(self._rows) >= _FEWEST:
            table = self._table(self._heading.before)
            if table is not None:
                self._done.append(table)
        self._open(None, ())


PARSER = PairMatrix

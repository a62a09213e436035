"""TransferBench of ROCm: its matrices of copies, ``p2p`` and ``a2a``::

    Unidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)
     SRC+EXE\\DST    CPU 00       GPU 00    GPU 01
      CPU 00  ->     24.11        41.11     41.22
      GPU 00  ->     55.61      1701.11     47.31
      GPU 01  ->     55.60        47.20   1711.90

    SRC\\DST  GPU 00     GPU 01        STotal      Actual
    GPU 00      N/A       47.31         47.31       47.31
    GPU 01     47.20       N/A          47.20       47.20

Of copies in both directions at once the sum (``<->``) counts.

Source: ``src/TransferBench.cpp`` of TransferBench 1.2x to 1.50.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import BandwidthMatrix
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

GAP = 8
MAX_TESTS, MAX_ROWS = Limit(50_000, "tests"), Limit(1024, "rows of one table")
_TITLE = regex(
    r"\s{0,8}(?P<both>Uni|Bi)directional copy peak bandwidth GB/s \[[^\]]{3,60}\] \(GPU-Executor: (?P<by>\w{2,12})\)\s*"
)
_HEAD = regex(
    r"\s{0,12}SRC(?:\+EXE)?\\(?:EXE\+)?DST(?P<columns>(?:[\s,]{1,20}[CG]PU \d{2,3}){2,256})"
    r"(?:[\s,]{1,20}STotal.{0,60})?\s*"
)
_NAME = regex(r"(?P<kind>[CG]PU) (?P<number>\d{2,3})")
_ROW = regex(
    r"\s{0,12}(?P<name>[CG]PU \d{2,3})\s{0,4}(?P<way>->|<->|<-|min|max|sd)?"
    r"(?P<cells>(?:[\s,]{1,20}(?:\d{1,7}\.\d{1,3}|N/A)){2,260})\s*"
)
_VERSION = regex(r"\s{0,8}TransferBench v[\d.]{3,20}.{0,60}")
_AVERAGES = regex(r"\s{0,40}(?:[CG]PU->[CG]PU\s{0,8}){4}|Averages \(During .{0,100}|R[Tt]otal.{0,400}")
_COUNTED = ("", "->", "<->")


class _Table(Struct):
    name: str
    ref: Ref
    host: str | None
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, str, tuple[float | None, ...], Ref]] = field(default_factory=list)
    """(row, direction, cells, line)"""


class TransferBench:
    """Gives a ``BandwidthMatrix`` for each table."""

    kind: ClassVar[str] = "transferbench"
    literals: ClassVar[Literals] = Literals(
        ("TransferBench", "directional copy ", "SRC", "PU ", "PU->", "Averages", "otal")
    )

    def __init__(self) -> None:
        self._done: list[BandwidthMatrix] = []
        self._titled: tuple[str, Ref] | None = None
        self._table: _Table | None = None
        self._last = 0

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > 4_000 or not TransferBench.literals.in_(text):
            return False
        return any(form.fullmatch(text) for form in (_TITLE, _HEAD, _ROW, _VERSION, _AVERAGES))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        title = _TITLE.fullmatch(text)
        if title is not None:
            self._close()
            self._titled = f"{title['both']}directional copy peak bandwidth by {title['by']}", line.ref()
            self._last = line.no
            return Use.USED
        head = _HEAD.fullmatch(text)
        if head is not None:
            self._open(head["columns"], line)
            return Use.USED
        if self._table is not None and line.no - self._last <= GAP:
            return self._row(self._table, text, line)
        return Use.IGNORED if _VERSION.fullmatch(text) else Use.NOT_MINE

    def finish(self) -> Iterable[BandwidthMatrix]:
        self._close()
        return self._done

    def _open(self, columns: str, line: Line) -> None:
        titled, self._titled = self._titled, None
        self._close()
        recent = titled is not None and line.no - titled[1].line <= GAP
        name, ref = titled if recent and titled is not None else ("GPU all-to-all", line.ref())
        self._table = _Table(name, ref, line.host, tuple(map(_end, _NAME.findall(columns))))
        self._last = line.no

    def _row(self, table: _Table, text: str, line: Line) -> Use:
        row = _ROW.fullmatch(text)
        if row is None or not MAX_ROWS.has_room(len(table.rows)):
            return Use.IGNORED if _AVERAGES.fullmatch(text) else Use.NOT_MINE
        self._last = line.no
        cells = row["cells"].replace(",", " ").split()[: len(table.columns)]
        if len(cells) < len(table.columns):
            return Use.NOT_MINE
        name = _NAME.match(row["name"])
        values = tuple(float(cell) if cell != "N/A" else None for cell in cells)
        end = _end(name.groups()) if name is not None else ""
        table.rows.append((end, row["way"] or "", values, line.ref()))
        return Use.USED if (row["way"] or "") in _COUNTED else Use.IGNORED

    def _close(self) -> None:
        table, self._table = self._table, None
        ways = {row[1] for row in table.rows} if table is not None else set()
        way = next((each for each in ("<->", "->", "") if each in ways), None)
        if table is None or way is None or not MAX_TESTS.has_room(len(self._done)):
            return
        rows = [row for row in table.rows if row[1] == way]
        self._done.append(
            BandwidthMatrix(
                source=table.ref.source,
                name=table.name,
                description="",
                unit="GB/s",
                status="Passed",
                matrix=tuple(row[2] for row in rows),
                total=None,
                ref=table.ref,
                tool="transferbench",
                rows=tuple(row[0] for row in rows),
                columns=table.columns,
                lines=tuple(row[3] for row in rows),
                host=table.host,
            )
        )


def _end(name: tuple[str | None, ...]) -> str:
    """``GPU 03`` as ``gpu 3``."""
    kind, number = name
    return f"{(kind or '').lower()} {int(number or 0)}"


PARSER = TransferBench

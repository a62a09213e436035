"""Tables of a collective by size that are not nccl-tests': of DeepSpeed, of scripts with torch.distributed, of anybody.

DeepSpeed's communication benchmark, whose Gbps are bits, and a table in Markdown::

    Size (Bytes)         Description        Duration             Throughput (Gbps)    BusBW (Gbps)
    8.0 GB               [134217728x16]     34.2 ms              2009.213             3767.275

    | payload |    busbw    |   algbw    |
    | ------: | ----------: | ---------: |
    |    16GB |  236.87GBps | 126.33GBps |

Or each row names its amounts: ``size=1 GiB time=4.655 ms algbw=230.7 GB/s busbw=432.5 GB/s``.

Or each row is a run on more nodes than the one above it::

    nodes   size (B)     time (us)  algbw (GB/s)  busbw (GB/s)
        2   8589934592       43341        198.19        371.61
       16   8589934592       64081        134.05        266.00

A header names busbw and a size, and one of header and cells the unit. What stands above it tells the collective and
how many ranks took part. Source of the first: DeepSpeed's ``communication/utils.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from msgspec import Struct, field

from slowlink.averages import median
from slowlink.model.benchmark import CollectiveRun, Point
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.size_columns import (
    Column,
    Measured,
    are_units,
    columns_of,
    labelled,
    may_be_labelled,
    measured,
    with_units,
)
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_COLLECTIVES = {
    "all_reduce": r"all[ _-]?reduce",
    "all_gather": r"all[ _-]?gather",
    "reduce_scatter": r"reduce[ _-]?scatter",
    "alltoall": r"all[ _-]?to[ _-]?all",
    "broadcast": r"broadcast",
    "sendrecv": r"send[ _-]?recv",
}
_COLLECTIVE = regex("(?i)" + "|".join(f"(?P<{name}>{words})" for name, words in _COLLECTIVES.items()))
_RANKS = regex(
    r"(?i)(?<![\w.])(?P<count>\d{1,6})(?:[ -]?(?:ranks|devices|gpus|processes|rangs)|-(?:rank|device|gpu))\b"
    r"|world[ _]?size\D{1,3}(?P<world>\d{1,6})"
)
_NODES = regex(
    r"(?i)(?<![\w.])(?P<nodes>\d{1,5})\s?(?:x\s?)?(?:nodes?|n(?:oe|œ)uds?|knoten|hosts?|servers?|节点|台)"
    r"(?:\s?[x×*]\s?(?P<each>\d{1,2})(?!\d))?"
)
_ROW = regex(
    r"(?i)\s{0,40}\|?\s{0,40}(?:(?:dist\.)?(?:" + "|".join(_COLLECTIVES.values()) + r")[|;,\s]{1,40})?"
    r"\d[\d_]{0,20}(?:\.\d{1,3})?\s?(?:[KMGT]?i?B?)[\s|;,]{1,60}.{0,200}\d.{0,14}"
)
_RULER = regex(r"\s{0,40}\|[ \t|:=-]{3,300}")
_ABOVE, _GAP = 12, 3
"""Lines between words about the table and its header, and between two of its rows."""
_ABOVE_ONE = 1.05
"""More than rounding makes."""
MAX_TABLES, MAX_ROWS = Limit(20_000, "tables"), Limit(200_000, "rows")


class _Title(NamedTuple):
    """Words about a table, and their line."""

    text: str
    no: int


_NO_TITLE = _Title("", 0)


_Counts = tuple[int | None, int | None]
"""Nodes and ranks, as the row says."""


class _Table(Struct):
    header: Ref
    stream: str
    columns: tuple[Column, ...]
    title: _Title
    last: int
    collective: str = ""
    """As its rows say."""
    points: dict[_Counts, list[Point]] = field(default_factory=dict)
    """By how many nodes and ranks took part."""
    sizes: dict[tuple[_Counts, int], int] = field(default_factory=dict)
    """How often each came again."""


class SizeTables:
    """Reads the rows below a header of busbw by size."""

    kind: ClassVar[str] = "size-table"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        (
            *("busbw", "bus bw", "bus_bw", "bus bandwidth", "bus_bandwidth", "总线带宽", "\n0", "\n|", "gather"),
            *("scatter", "reduce", "to_all", "toall", "to-all", "to all", "broadcast", "sendrecv", "send_recv"),
            *("b/s)", "bps)", "bit/s)", "bitps)"),
        ),
        fold=True,
    )

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._title = _NO_TITLE
        self._rows = 0

    @staticmethod
    def wants(text: str) -> bool:
        if _ROW.fullmatch(text) is not None or _is_title(text):
            return True
        if _RULER.fullmatch(text):
            return True
        return columns_of(text) is not None or may_be_labelled(text) or are_units(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        columns = columns_of(line.text)
        if columns is not None:
            return self._begin(line, columns)
        row = labelled(line.text)
        if row is not None:
            if not self._is_open(line) or self._tables[-1].columns:
                self._begin(line, ())
            return self._add(row, line)
        if self._is_open(line):
            table = self._tables[-1]
            if not table.points and _RULER.fullmatch(line.text):
                return Use.IGNORED
            units = with_units(table.columns, line.text) if not table.points else None
            if units is not None:
                table.columns = units
                return Use.USED
            row = measured(line.text, table.columns) if _ROW.fullmatch(line.text) else None
            if row is not None:
                return self._add(row, line)
        if _is_title(line.text):
            self._title = _Title(line.text, line.no)
        return Use.NOT_MINE

    def _is_open(self, line: Line) -> bool:
        return bool(self._tables) and line.no - self._tables[-1].last <= _GAP

    def _begin(self, line: Line, columns: tuple[Column, ...]) -> Use:
        if not MAX_TABLES.has_room(len(self._tables)):
            return Use.NOT_MINE
        self._tables.append(_Table(line.ref(), line.stream, columns, self._title_of(line), line.no))
        return Use.USED

    def _add(self, row: Measured, line: Line) -> Use:
        if not self._is_open(line) or not MAX_ROWS.has_room(self._rows):
            return Use.NOT_MINE
        table = self._tables[-1]
        if row.collective and row.collective != table.collective:
            if table.collective:
                self._begin(line, table.columns)
                table = self._tables[-1]
            table.collective = row.collective
        self._rows, table.last = self._rows + 1, line.no
        counts = row.nnodes, row.nranks
        cycle = table.sizes[counts, row.size_bytes] = table.sizes.get((counts, row.size_bytes), -1) + 1
        table.points.setdefault(counts, []).append(_point(row, cycle, line.ref()))
        return Use.USED

    def _title_of(self, line: Line) -> _Title:
        """What names the collective: this line, the words about ranks not far above, or the line above."""
        if _COLLECTIVE.search(line.text):
            return _Title(line.text, line.no)
        if self._title.no and line.no - self._title.no <= _ABOVE:
            return self._title
        return _Title(line.before, line.no - 1) if _COLLECTIVE.search(line.before) else _NO_TITLE

    def finish(self) -> Iterable[CollectiveRun]:
        return [
            _run(table, counts, points) for table in self._tables for counts, points in table.points.items() if points
        ]


def _is_title(text: str) -> bool:
    """Does it name a collective and how many took part? Rows of timers and libraries name collectives, too."""
    return _COLLECTIVE.search(text) is not None and any(each.search(text) for each in (_RANKS, _NODES))


def _point(row: Measured, cycle: int, ref: Ref) -> Point:
    return Point(
        size_bytes=row.size_bytes,
        count=None,
        datatype=None,
        redop=None,
        root=None,
        placement="out_of_place",
        time_us=row.time_us,
        algbw_gbs=row.algbw_gbs,
        busbw_gbs=row.busbw_gbs,
        wrong=None,
        ref=ref,
        cycle=cycle,
        doubt=row.doubt,
    )


def _run(table: _Table, counts: _Counts, points: Sequence[Point]) -> CollectiveRun:
    title = table.title.text
    named = {found.lastgroup: None for found in _COLLECTIVE.finditer(table.collective or title)}
    collective, basis = (next(iter(named)), _basis(table, points)) if len(named) == 1 else _by_factor(points)
    nnodes, nranks = counts if any(counts) else _nodes_and_ranks(title)
    return CollectiveRun(
        tool="table",
        source=table.header.source,
        stream=table.stream,
        header=table.header,
        collective=collective,
        collective_basis=basis,
        columns=tuple(each.role for each in table.columns),
        points=tuple(points),
        rows=len(points),
        concluded=True,  # such a table has no last line by which one could tell
        end=points[-1].ref,
        caption=title.strip() or None,
        nranks_printed=nranks,
        nnodes_printed=nnodes,
    )


def _nodes_and_ranks(title: str) -> tuple[int | None, int | None]:
    """Each as far as the words say one number of it: ``8 of 16 nodes`` say two."""
    nodes = {(int(found["nodes"]), int(found["each"] or 0)) for found in _NODES.finditer(title)}
    ranks = {int(found["count"] or found["world"]) for found in _RANKS.finditer(title)}
    nnodes, each = next(iter(nodes)) if len(nodes) == 1 else (0, 0)
    nranks = nnodes * each or (next(iter(ranks)) if len(ranks) == 1 else 0)
    return nnodes or None, nranks or None


def _by_factor(points: Sequence[Point]) -> tuple[str | None, str]:
    """Only an all_reduce moves more over a link than there is: 2 (n - 1) / n."""
    factors = [p.busbw_gbs / p.algbw_gbs for p in points if p.busbw_gbs and p.algbw_gbs and p.doubt is None]
    factor = median(factors) if factors else 0.0
    return ("all_reduce", f"busbw/algbw = {factor:.4g}") if factor > _ABOVE_ONE else (None, "")


def _basis(table: _Table, points: Sequence[Point]) -> str:
    line = points[0].ref.line if table.collective else table.title.no
    return f"line {line}"


PARSER = SizeTables

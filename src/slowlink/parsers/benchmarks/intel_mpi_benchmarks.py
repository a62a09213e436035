"""Intel MPI Benchmarks (IMB): tables of times and bandwidth of MPI, by size::

    #    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
    # MPI Version           : 3.1
    # Calling sequence was:
    # IMB-MPI1 PingPong Allreduce

    #---------------------------------------------------
    # Benchmarking PingPong
    # #processes = 2
    #---------------------------------------------------
           #bytes #repetitions      t[usec]   Mbytes/sec
                0         1000         1.62         0.00
          4194304           10       342.77     12236.55

    #----------------------------------------------------------------
    # Benchmarking Allreduce
    # #processes = 16
    #----------------------------------------------------------------
           #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
                4         1000         6.11         6.94         6.52

The header decides the columns. A time of PingPong is half of a round trip; Sendrecv and Exchange count what goes in and
out. MB are 10^6 bytes since IMB 2018, and 2^20 before.

Source: IMB 2017 to 2021, ``src_c/IMB_output.c``, ``IMB_g_info.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import MpiRow, MpiTable
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_TABLES, MAX_ROWS = Limit(50_000, "tables"), Limit(500_000, "rows")
GAP = 100
"""Lines of others that may stand between two rows: numbers that come later are not IMB's."""
_DECIMAL_SINCE = 2018
_TWO_RANKS = frozenset(
    {"pingpong", "pingping", "unidirget", "unidirput", "bidirget", "bidirput", "sendrecv", "uniband"}
)

_SUITE = regex(r"\s*#\s{1,8}Intel ?\(R\) MPI Benchmarks? (?:Suite )?V?(?P<version>\d[\w .]{0,30}?)(?:, .{1,60})?\s*")
_TEST = regex(r"\s*# Benchmarking (?P<test>[A-Za-z][\w -]{1,60}?)\s*")
_RANKS = regex(
    r"\s*# (?:#processes = (?P<ranks>\d{1,8})(?:;.{0,60})?"
    r"|\( (?P<groups>\d{1,8}) groups of (?P<each>\d{1,8}) processes each running simultaneous ?\))\s*"
)
_HEADER = regex(
    r"\s*(?P<columns>#(?:bytes|repetitions)(?:\s{1,20}(?:#repetitions|[A-Za-z_]{1,12}\[(?:usec|%)\]|Mbytes/sec|Msg/sec|defects))+)\s*"
)
_ROW = regex(r"\s*\d{1,13}(?:\s{1,30}\d{1,15}(?:\.\d{1,6})?){2,7}\s*")
_LEGEND = regex(
    r"\s*#(?:-{3,120}|\s*(?:Date|Machine|System|Release|Version|MPI Version|MPI Thread Environment|MPI_Datatype"
    r"|MPI_Datatype for reductions|MPI_Op)\s{0,20}:.{0,120}|\s*(?:Minimum|Maximum) message length in bytes:.{0,30}"
    r"|\s*(?:Calling sequence was: ?|Message lengths were user defined|All processes entering MPI_Finalize"
    r"|List of Benchmarks to run:|New default behavior from Version .{1,30}|(?:\(Multi-\))?\w{0,30})"
    r"|\s*\( \d{1,8} additional process(?:es)? waiting in MPI_Barrier ?\)"
    r"|\s*MODE: (?:NON-)?AGGREGATE ?|\s*(?:\S{0,120}/)?IMB-\w{2,8}\b.{0,200})?\s*"
)
_SKIPPED = regex(r"\s*\d{1,13} (?:out-of-mem\.;|int-overflow;|time-out\.;).{0,200}")
_ROLES = {
    "#bytes": "size",
    "#repetitions": "iterations",
    "t[usec]": "time",
    "t_avg[usec]": "time",
    "t_ovrl[usec]": "time",
    "t_min[usec]": "least",
    "t_max[usec]": "most",
    "Mbytes/sec": "bandwidth",
    "Msg/sec": "rate",
}


class _Table(Struct):
    ref: Ref
    test: str
    nranks: int | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[MpiRow] = field(default_factory=list)
    last: int = 0
    """Number of the last line that was taken."""


class IntelMpiBenchmarks:
    """Reads the rows below a header of IMB's columns."""

    kind: ClassVar[str] = "intel-mpi-benchmarks"
    literals: ClassVar[Literals] = Literals(("\n#", "\n0"))

    def __init__(self) -> None:
        self._done: list[MpiTable] = []
        self._table: _Table | None = None
        self._megabyte = 1e6
        self._seen = self._rows = 0

    @staticmethod
    def wants(text: str) -> bool:
        text = text[:300]
        if "#" in text[:24]:
            return any(pattern.fullmatch(text) for pattern in (_LEGEND, _TEST, _RANKS, _HEADER, _SUITE))
        return _ROW.fullmatch(text) is not None or _SKIPPED.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:300]
        if (suite := _SUITE.fullmatch(text)) is not None:
            self._seen = line.no
            self._megabyte = 1e6 if _decimal(suite["version"]) else float(1 << 20)
            return Use.USED
        if (test := _TEST.fullmatch(text)) is not None:
            self._begin(line, test["test"])
            return Use.USED
        if (header := _HEADER.fullmatch(text)) is not None:
            return self._header(header, line)
        table, near = self._table, self._seen and line.no - self._seen <= GAP
        if not near:
            return Use.NOT_MINE
        ranks = _RANKS.fullmatch(text)
        if ranks is not None and table is not None:
            table.nranks = int(ranks["ranks"] or ranks["each"])
        elif table is not None and _ROW.fullmatch(text):
            return self._row(table, text, line)
        elif _LEGEND.fullmatch(text) and (table is None or not table.rows or text.strip().startswith(("#-", "# All"))):
            self._seen = line.no
            return Use.IGNORED
        elif _SKIPPED.fullmatch(text):
            return Use.IGNORED
        else:
            return Use.NOT_MINE
        self._seen = line.no
        return Use.USED

    def finish(self) -> Iterable[MpiTable]:
        self._close()
        return self._done

    def _begin(self, line: Line, test: str) -> None:
        self._close()
        self._table, self._seen = _Table(line.ref(), test), line.no

    def _header(self, header: re.Match[str], line: Line) -> Use:
        if self._table is None or self._table.columns:
            self._begin(line, "")
        if self._table is not None:
            self._table.columns = [_ROLES.get(column, "") for column in header["columns"].split()]
        self._seen = line.no
        return Use.USED

    def _row(self, table: _Table, text: str, line: Line) -> Use:
        cells = text.split()
        if len(cells) != len(table.columns) or not MAX_ROWS.has_room(self._rows):
            return Use.NOT_MINE
        self._seen, self._rows = line.no, self._rows + 1
        told = {role: float(cell) for role, cell in zip(table.columns, cells, strict=True) if role}
        bandwidth = told.get("bandwidth")
        table.rows.append(
            MpiRow(
                size_bytes=int(told["size"]) if "size" in told else None,
                iterations=int(told["iterations"]) if "iterations" in told else None,
                time_us=told.get("time"),
                t_min_us=told.get("least"),
                t_max_us=told.get("most"),
                bandwidth_gbs=round(bandwidth * self._megabyte / 1e9, 9) if bandwidth is not None else None,
                messages_per_s=told.get("rate"),
                ref=line.ref(),
            )
        )
        return Use.USED

    def _close(self) -> None:
        table, self._table = self._table, None
        if table is None or not table.columns or not MAX_TABLES.has_room(len(self._done)):
            return
        plain = table.test.lower().removeprefix("multi-")
        pair = plain in _TWO_RANKS or (not plain and "bandwidth" in table.columns and "least" not in table.columns)
        self._done.append(
            MpiTable(
                source=table.ref.source,
                tool="imb",
                test=table.test,
                library="MPI",
                kind="latency" if pair else "collective",
                bidirectional=plain in ("sendrecv", "exchange", "pingping", "bidirget", "bidirput"),
                gpu_memory=None,
                nranks=table.nranks,
                rows=tuple(table.rows),
                ref=table.ref,
            )
        )


def _decimal(version: str) -> bool:
    """Are MB of this version 10^6 bytes?"""
    year = version.split(".")[0].split(" ")[0]
    return not year.isdecimal() or int(year) >= _DECIMAL_SINCE


PARSER = IntelMpiBenchmarks

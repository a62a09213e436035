"""OSU micro-benchmarks: tables of latency and bandwidth of MPI, by size::

    # OSU MPI-CUDA Allreduce Latency Test v7.3
    # Datatype: MPI_INT.
    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
    4                      21.37             19.02             23.80        1000
    1048576               412.66            405.19            420.47         100

    # OSU MPI-CUDA Bandwidth Test v5.9
    # Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)
    # Size      Bandwidth (MB/s)
    4194304             24417.92

The title says what is measured and from which memory (``-CUDA``, ``-ROCM``, ``-OPENACC``, ``-MANAGED``), the header
which columns there are: older versions print ``Latency (us)``. MB are 10^6 bytes, and a point-to-point latency is half
of a round trip. OSU's tests of NCCL print ``NCCL`` for ``MPI``. Ranks are not printed. With ``--validation`` (7.0) a
column says ``Pass`` or ``Fail`` of the data that came back.

Source: OSU micro-benchmarks 4.x to 7.4, ``util/osu_util_mpi.c`` and the tests themselves.
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
"""Lines of others (a log, other ranks) that may stand between two rows: numbers that come later are not OSU's."""
_MEMORY = {"CUDA": "cuda", "CUDA MANAGED": "cuda", "MANAGED": "cuda", "ROCM": "rocm", "OPENACC": "gpu"}

_TITLE = regex(
    r"\s*# ?OSU (?P<library>MPI|NCCL|RCCL|MSCCL|[OX]CCL|OpenSHMEM|UPC\+{0,2})(?P<verb>_[A-Za-z_]{2,30})?"
    r"(?:-(?P<memory>CUDA MANAGED|CUDA|ROCM|OPENACC|MANAGED))? ?(?P<test>[A-Za-z][\w /+-]{1,60}?)"
    r"(?:-(?P<late>CUDA|ROCM))? Test(?: v(?P<version>\d[\w.]{0,12}))?\s*"
)
_BUFFERS = regex(
    r"\s*# (?:Send Buffer on (?P<send>DEVICE|HOST|MANAGED) \([DHM]\) and Receive Buffer on "
    r"(?P<receive>DEVICE|HOST|MANAGED) \([DHM]\)|Rank 0 Memory on (?P<one>DEVICE|HOST|MANAGED) \([DHM]\)"
    r" and Rank 1 Memory on (?P<other>DEVICE|HOST|MANAGED) \([DHM]\))\s*"
)
_HEADER = regex(
    r"\s*# ?(?:Size\s{1,30})?(?P<columns>(?:(?:Avg |Min |Max )?Latency ?\(us\)|(?:Uni-directional )?Bandwidth "
    r"\(MB/s(?:ec)?\)|MB/s|Overall\(us\))(?:\s.{0,300})?)"
)
_PAIRS = regex(r"\s*# \[ pairs: (?P<pairs>\d{1,7}) \] \[ window size: \w{1,10} \]\s*")
_LEGEND = regex(
    r"\s*# (?:Datatype: .{1,80}|Window creation: \w{1,40}|Synchronization: \w{1,40}|Overall = Coll\. Init .{1,60}"
    r"|Number of (?:Sender|Receiver) threads: \d{1,6}.{0,20})\s*"
)
_ROW = regex(
    r"\s*\d{1,13}(?:\s{1,40}\d{1,12}(?:\.\d{1,4})?){1,14}(?:\s{1,30}(?:Pass|Fail|-))?(?:\s{1,30}\d{1,12}(?:\.\d{1,4})?){0,9}\s*"
)
_BARE_ROW = regex(r"\s{0,30}\d{1,12}\.\d{1,4}(?:\s{1,40}\d{1,12}(?:\.\d{1,4})?){0,14}\s*")
"""A barrier sends nothing: its row begins with the time."""
_COLUMN = regex(
    r"P\d{1,2} Tail (?:Lat|BW) ?\([A-Za-z/]{2,4}\)"
    r"|[A-Z][A-Za-z_.-]{0,20}(?: [A-Z]\w{0,12}\.?)? ?(?:\([A-Za-z/%]{1,6}\)|/s)?"
)
_TIMES = {"Avg Latency": "time", "Latency": "time", "Overall": "time", "Min Latency": "least", "Max Latency": "most"}
_OTHERS = {
    "Iterations": "iterations",
    "Messages/s": "rate",
    "Size": "size",
    "MB/s": "bandwidth",
    "Bandwidth": "bandwidth",
    "Validation": "validation",
}
_COMPARED = {"Pass": False, "Fail": True}


class _Table(Struct):
    ref: Ref
    title: re.Match[str] | None
    columns: list[str] = field(default_factory=list)
    """Roles of the columns in order; "" for one that is not read."""
    rows: list[MpiRow] = field(default_factory=list)
    host_buffers: int = 0
    gpu_buffers: int = 0
    pairs: int | None = None
    last: int = 0
    """Number of the last line that was taken."""


class OsuBenchmarks:
    """Reads the rows below a header that its title or its columns give away."""

    kind: ClassVar[str] = "osu-benchmarks"
    literals: ClassVar[Literals] = Literals(("\n#", "\n0"))

    def __init__(self) -> None:
        self._done: list[MpiTable] = []
        self._table: _Table | None = None
        self._rows = 0

    @staticmethod
    def wants(text: str) -> bool:
        if "#" in text[:12]:
            return any(pattern.fullmatch(text[:400]) for pattern in (_TITLE, _HEADER, _BUFFERS, _PAIRS, _LEGEND))
        return len(text) < 400 and (_ROW.fullmatch(text) is not None or _BARE_ROW.fullmatch(text) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:400]
        title = _TITLE.fullmatch(text)
        if title is not None:
            self._close()
            self._table = _Table(line.ref(), title)
            return Use.USED
        header = _HEADER.fullmatch(text)
        if header is not None:
            return self._header(header, line)
        table = self._table
        if table is None:
            return Use.NOT_MINE
        buffers, pairs = _BUFFERS.fullmatch(text), _PAIRS.fullmatch(text)
        if buffers is not None:
            on = [name for name in buffers.groups() if name]
            table.host_buffers, table.gpu_buffers = on.count("HOST"), len(on) - on.count("HOST")
        elif pairs is not None:
            table.pairs = int(pairs["pairs"])
        elif _LEGEND.fullmatch(text):
            return Use.IGNORED
        else:
            return self._row(table, text, line)
        return Use.USED

    def finish(self) -> Iterable[MpiTable]:
        self._close()
        return self._done

    def _header(self, header: re.Match[str], line: Line) -> Use:
        table = self._table
        if table is None or table.columns:
            if "Size" not in header[0]:
                return Use.NOT_MINE  # without a title only a table by size is known to be OSU's
            self._close()
            table = self._table = _Table(line.ref(), None)
        sized = ["size"] if "Size" in header[0].partition(header["columns"][:4])[0] else []
        table.columns = sized + [_role(found[0]) for found in _COLUMN.finditer(header["columns"])]
        table.last = line.no
        return Use.USED

    def _row(self, table: _Table, text: str, line: Line) -> Use:
        cells = text.split()
        if len(cells) > len(table.columns) or line.no - table.last > GAP or not MAX_ROWS.has_room(self._rows):
            return Use.NOT_MINE
        if (_ROW if table.columns[0] == "size" else _BARE_ROW).fullmatch(text) is None:
            return Use.NOT_MINE
        told = {
            role: cell
            for role, cell in zip(table.columns, cells, strict=False)
            if role and cell[:1].isdecimal() is (role != "validation")
        }
        self._rows, table.last = self._rows + 1, line.no
        table.rows.append(_row_of(told, line.ref()))
        return Use.USED

    def _close(self) -> None:
        table, self._table = self._table, None
        if table is not None and table.columns and MAX_TABLES.has_room(len(self._done)):
            self._done.append(_record(table))


def _role(column: str) -> str:
    name = column.partition("(")[0].strip()
    return _TIMES.get(name) or _OTHERS.get(name, "")


def _row_of(told: dict[str, str], ref: Ref) -> MpiRow:
    def value(role: str) -> float | None:
        return float(told[role]) if role in told else None

    bandwidth = value("bandwidth")
    return MpiRow(
        size_bytes=int(told["size"]) if "size" in told else None,
        iterations=int(float(told["iterations"])) if "iterations" in told else None,
        time_us=value("time"),
        t_min_us=value("least"),
        t_max_us=value("most"),
        bandwidth_gbs=round(bandwidth / 1000, 9) if bandwidth is not None else None,
        messages_per_s=value("rate"),
        ref=ref,
        wrong=_COMPARED.get(told.get("validation", "")),
    )


def _record(table: _Table) -> MpiTable:
    title = table.title
    test = " ".join(part for part in ((title["verb"] or "").strip("_"), title["test"]) if part) if title else ""
    return MpiTable(
        source=table.ref.source,
        tool="osu",
        test=test,
        library=title["library"] if title else "",
        kind=_kind(test, table),
        bidirectional="bi-directional" in test.lower(),
        gpu_memory=_memory(table),
        nranks=table.pairs * 2 if table.pairs else None,
        rows=tuple(table.rows),
        ref=table.ref,
    )


def _kind(test: str, table: _Table) -> str:
    """Two ranks' latency or bandwidth; everything else is a collective, also a table whose title is lost."""
    plain = test.lower().removesuffix(" persistent")
    pair = plain.split(" ")[0] in ("put", "get") or plain in (
        *("latency", "bandwidth", "bi-directional bandwidth", "multi-threaded latency", "multi-process latency"),
        *("multi latency", "multiple bandwidth / message rate"),
    )
    if "bandwidth" in table.columns:
        return "bandwidth"
    return "latency" if pair else "collective"


def _memory(table: _Table) -> str | None:
    if table.gpu_buffers == 0 and table.host_buffers:
        return "host"
    named = (table.title["memory"] or table.title["late"]) if table.title else None
    if named is None:
        return "gpu" if table.gpu_buffers else None
    return _MEMORY[named]


PARSER = OsuBenchmarks

"""What the reporter of rccl-tests writes (``-Z csv`` or ``-Z json``): one record per size and placement.

The CSV of one size on two nodes::

    numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong
    0,"AllReduce",2,16,8,1,1073741824,"float","sum",0,6000.000000,178.956971,335.544320,"0"
    0,"AllReduce",2,16,8,1,1073741824,"float","sum",1,6100.000000,176.023250,330.043594,"N/A"

Source: rccl-tests' ``reporter``. In MPI builds a row holds one value more than the header: the number of nodes, which
comes before the ranks.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.nccl_tests.collective import collective_of_program, infer
from slowlink.parsers.benchmarks.nccl_tests.columns import layout_of
from slowlink.parsers.benchmarks.nccl_tests.points import points_of
from slowlink.parsers.benchmarks.nccl_tests.rows import Row
from slowlink.parsers.benchmarks.nccl_tests.values import integer, items, mapping, side, text, truth
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals

_LAYOUT = layout_of(["size", "type", "redop", "time", "algbw", "busbw", "wrong"], sides=1)
_HEADER_START = "numCycle,"
_NAMES = {
    "numcycle": "cycle",
    "collective": "collective",
    "name": "collective",
    "nodes": "nodes",
    "ranks": "ranks",
    "gpus": "ranks",
    "rankspernode": "ranks_per_node",
    "gpusperrank": "gpus_per_rank",
    "size": "size",
    "type": "type",
    "redop": "redop",
    "inplace": "in_place",
    "time": "time",
    "algbw": "algbw",
    "busbw": "busbw",
    "wrong": "wrong",
    "#wrong": "wrong",
}
MAX_COLUMNS = Limit(200, "columns")
_NEEDED = frozenset({"size", "algbw", "busbw"})


class _Table(Struct):
    """The records of one collective, datatype and redop on the same ranks."""

    first: Ref
    values: dict[str, object]
    rows: list[Row] = field(default_factory=list)

    def build(self, source: str, stream: str) -> CollectiveRun:
        table = points_of(self.rows, _LAYOUT)
        name = text(self.values.get("collective"))
        collective, basis = _collective(name)
        if collective is None:
            collective, basis = infer(_LAYOUT, self.rows, table.ratio)
        return CollectiveRun(
            tool="rccl-tests",
            source=source,
            stream=stream,
            header=self.first,
            collective=collective,
            collective_basis=basis,
            program=name,
            points=table.points,
            rows=len(self.rows),
            torn_rows=table.torn,
            concluded=True,
            end=self.rows[-1].ref if self.rows else self.first,
            nranks_printed=integer(self.values.get("ranks")),
            nnodes_printed=integer(self.values.get("nodes")),
        )


def _collective(name: str | None) -> tuple[str | None, str]:
    """``AllReduce``, ``all_reduce`` or ``all_reduce_perf`` as our name."""
    if name is None:
        return None, ""
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name.removesuffix("_perf")).lstrip("_")
    snake = {"all_to_all": "alltoall", "all_to_allv": "alltoallv", "all_to_all_v": "alltoallv"}.get(snake, snake)
    snake = {"send_recv": "sendrecv", "hyper_cube": "hypercube"}.get(snake, snake)
    return collective_of_program(snake + "_perf"), f"collective: {name}"


class _Tables:
    """The records of a file, grouped by what they measure: collective, datatype, redop, ranks, nodes."""

    def __init__(self) -> None:
        self.by_key: dict[tuple[object, ...], _Table] = {}

    def add(self, values: dict[str, object], ref: Ref) -> bool:
        size = integer(values.get("size"))
        if size is None or not 0 <= size <= 1 << 60 or not set(values) >= _NEEDED:
            return False
        key = tuple(str(values.get(name)) for name in ("collective", "type", "redop", "ranks", "nodes"))
        table = self.by_key.setdefault(key, _Table(ref, values))
        in_place = truth(values.get("in_place")) or integer(values.get("in_place")) == 1
        row = Row(size, ref, _LAYOUT, datatype=text(values.get("type")), redop=text(values.get("redop")))
        placement = "in_place" if in_place else "out_of_place"
        measured = (values.get(name) for name in ("time", "algbw", "busbw", "wrong"))
        row.sides.append(side(placement, *measured))
        # Both placements of one size are one row of the run.
        last = table.rows[-1] if table.rows else None
        if in_place and last is not None and last.size == size and last.sides[-1].placement == "out_of_place":
            last.sides += row.sides
        else:
            table.rows.append(row)
        return True

    def build(self, source: str, stream: str) -> list[CollectiveRun]:
        return [table.build(source, stream) for table in self.by_key.values()]


class RcclTestsCsv:
    """The CSV of the reporter. In MPI builds a row holds one value more than the header: the number of nodes."""

    kind: ClassVar[str] = "rccl-tests"
    literals: ClassVar[Literals] = Literals((f"\n{_HEADER_START}", "\n0"))

    def __init__(self) -> None:
        self._tables = _Tables()
        self._names: list[str] = []
        self._where = ("", "")

    @staticmethod
    def wants(text: str) -> bool:
        bare = text.strip()
        return bare.startswith(_HEADER_START) or (bare.count(",") >= 9 and bare[:1].isdecimal())

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        bare = line.text.strip()
        self._where = (line.source, line.stream)
        if bare.startswith(_HEADER_START):
            self._names = [_NAMES.get(name.strip().lower(), name) for name in MAX_COLUMNS.first(bare.split(","))]
            return Use.USED if set(self._names) >= _NEEDED else Use.NOT_MINE
        if not self._names or not self.wants(bare):
            return Use.NOT_MINE
        values = _cells(bare)
        names = self._names
        if len(values) == len(names) + 1 and "ranks" in names:
            at = names.index("ranks")
            names = [*names[:at], "nodes", *names[at:]]
        if len(values) != len(names):
            return Use.NOT_MINE
        return Use.USED if self._tables.add(dict(zip(names, values, strict=True)), line.ref()) else Use.NOT_MINE

    def finish(self) -> Iterable[CollectiveRun]:
        return self._tables.build(*self._where)


def _cells(text: str) -> list[object]:
    try:
        row = next(csv.reader([text[:4000]], skipinitialspace=True), [])
    except csv.Error:
        return []
    return [value.strip() for value in row]


class RcclTestsJson:
    """Gives the runs of the reporter's JSON: an array with one object per size and placement."""

    kind: ClassVar[str] = "rccl-tests"

    @staticmethod
    def wants_document(value: object) -> bool:
        first = mapping(next(iter(items(value)), None))
        return "numCycle" in first and "busBw" in first

    def read(self, value: object, source: str, line: int) -> Iterable[CollectiveRun]:
        tables = _Tables()
        for index, item in enumerate(items(value)):
            values = {_NAMES.get(key.lower(), key): found for key, found in mapping(item).items()}
            tables.add(values, Ref(source, line, f"[{index}]"))
        return tables.build(source, "")


PARSER = RcclTestsCsv
DOCUMENT = RcclTestsJson

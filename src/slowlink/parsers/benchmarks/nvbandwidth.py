"""nvbandwidth: the text of every test, and the JSON document (``-j``) with its quirks.

One test::

    Running host_to_device_memcpy_ce.
    memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
               0         1
     0     55.25     54.75

    SUM host_to_device_memcpy_ce 110.00

Source: nvbandwidth 0.2 to 0.8. GB is 10^9 bytes; a test of latencies prints ns in the same form. A test that failed in
JSON appears twice, first as ``Running``, then as ``Error``; the second entry stands for both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct, field

from slowlink.model.benchmark import BandwidthMatrix
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.gates import Gate, anywhere, at_start, of_literals
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_TESTS = Limit(50_000, "tests")
MAX_SIDE = Limit(1024, "rows of one matrix")

_RUNNING = regex(r"^\s*Running (?P<name>[a-z][a-z\d_]{2,80})\.\s*$")
_DESCRIPTION = regex(r"^\s*(?P<text>\S.{0,160}(?:bandwidth|latency)) \((?P<unit>GB/s|ns)\)\s*$")
_COLUMNS = regex(r"^\s+\d{1,5}(?:\s+\d{1,5})*\s*$")
_ROW = regex(r"^\s*(?:[\w.-]{1,80}\s+)?(?P<index>\d{1,5})(?P<cells>(?:\s+(?:\d+\.\d+|N/A))+)\s*$")
_SUM = regex(r"^\s*(?:SUM|&&&& PERF) (?P<key>[\w-]{1,100}) (?P<value>\d+(?:\.\d+)?)")
_STATISTIC = regex(r"^\s*(?:MIN|MAX|AVG) [\w-]{1,100} \d")
_PREAMBLE = regex(
    r"^\s*(?:nvbandwidth Version: |Built from Git version|MPI version: "
    r"|(?:CUDA Runtime|CUDA Driver|Driver) Version: \d"
    r"|(?:Process \d+ \([^)]{1,100}\): )?[Dd]evice \d+: .{1,80}\([\da-f]{1,8}:[\da-f]{2}:[\da-f]{2}\)"
    r"|NOTE: The reported results may not reflect|Performance can vary with software drivers)"
)
_AXIS = regex(r"(?P<kind>[CG]PU)\((?P<axis>row|column)\)", re.IGNORECASE)
_MARKS = Literals(
    (
        "Running ",
        "bandwidth (GB/s)",
        "latency (ns)",
        "SUM ",
        "&&&& PERF",
        "nvbandwidth",
        "Built from Git",
        "evice ",
        "Waived:",
        "Error:",
        "ERROR: Testcase",
        "NOTE: The reported",
        "CUDA Runtime Version",
        "CUDA Driver Version",
        "MIN ",
        "MAX ",
        "AVG ",
    )
)


class _Test(Struct):
    name: str
    ref: Ref
    description: str = ""
    unit: str = "GB/s"
    status: str = "Passed"
    rows: list[tuple[float | None, ...]] = field(default_factory=list)
    total: float | None = None
    lines: list[Ref] = field(default_factory=list)
    host: str | None = None


class NvbandwidthText:
    """Gives one ``BandwidthMatrix`` for each table that a test prints."""

    kind: ClassVar[str] = "nvbandwidth"
    literals: ClassVar[Literals] = Literals((*_MARKS.texts, "\n0", "0\n", "N/A\n"))

    def __init__(self) -> None:
        self._done: list[BandwidthMatrix] = []
        self._test: _Test | None = None
        self._columns = 0

    @staticmethod
    def gate() -> Gate:
        return (at_start(_COLUMNS, _ROW),), (anywhere(of_literals(_MARKS)),)

    @staticmethod
    def wants(text: str) -> bool:
        if _MARKS.in_(text):
            return True
        return _COLUMNS.match(text) is not None or _ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        started = _RUNNING.match(line.text)
        if started:
            self._close()
            self._test = _Test(started["name"], line.ref(), host=line.host)
            return Use.USED
        if _PREAMBLE.match(line.text):
            return Use.IGNORED
        test = self._test
        return Use.NOT_MINE if test is None else self._inside(test, line)

    def finish(self) -> Iterable[BandwidthMatrix]:
        self._close()
        return list(self._done)

    def _inside(self, test: _Test, line: Line) -> Use:
        text = line.text
        row = _ROW.match(text)
        if row and self._columns:
            if MAX_SIDE.has_room(len(test.rows)):
                test.rows.append(tuple(_cell(cell) for cell in MAX_SIDE.first(row["cells"].split())))
                test.lines.append(line.ref())
            return Use.USED
        if _COLUMNS.match(text):
            self._columns = len(text.split())
            return Use.IGNORED
        total = _SUM.match(text)
        if total:
            test.total = _cell(total["value"])
            self._emit(test, total["key"])
            return Use.USED
        return self._words(test, line)

    def _words(self, test: _Test, line: Line) -> Use:
        text = line.text
        described = _DESCRIPTION.match(text)
        if described:
            test.description, test.unit = described["text"].strip(), described["unit"]
            return Use.USED
        if text.lstrip().startswith(("Waived:", "Error:")):
            test.status = text.strip().partition(":")[0]
            return Use.USED
        return Use.IGNORED if _STATISTIC.match(text) else Use.NOT_MINE

    def _emit(self, test: _Test, key: str) -> None:
        """One matrix; a bidirectional test prints several under keys of their own."""
        if MAX_TESTS.has_room(len(self._done)):
            self._done.append(_matrix(test, key))
        test.rows, test.lines, test.total = [], [], None
        test.status = "Reported" if test.status == "Passed" else test.status
        self._columns = 0

    def _close(self) -> None:
        test, self._test = self._test, None
        self._columns = 0
        if test is None or (test.status == "Reported" and not test.rows) or not MAX_TESTS.has_room(len(self._done)):
            return
        if not test.rows and test.status in ("Passed", "Reported"):
            test.status = "Running"
        self._done.append(_matrix(test, test.name))


def _matrix(test: _Test, name: str) -> BandwidthMatrix:
    status = "Passed" if test.status == "Reported" else test.status
    rows, columns = _axes(test.description, test.rows)
    return BandwidthMatrix(
        source=test.ref.source,
        name=name,
        description=test.description,
        unit=test.unit,
        status=status,
        matrix=tuple(test.rows),
        total=test.total,
        ref=test.ref,
        rows=rows,
        columns=columns,
        lines=tuple(test.lines),
        host=test.host,
    )


def _axes(description: str, matrix: Sequence[Sequence[object]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What rows and columns stand for: ``CPU(row) -> GPU(column)``."""
    kinds = {found["axis"].lower(): found["kind"].lower() for found in _AXIS.finditer(description)}
    width = max(map(len, matrix), default=0)
    rows = tuple(f"{kinds['row']} {number}" for number in range(len(matrix))) if "row" in kinds else ()
    return rows, tuple(f"{kinds['column']} {number}" for number in range(width)) if "column" in kinds else ()


def _cell(value: object) -> float | None:
    """A number of a matrix, printed or as a JSON value; None for N/A and for anything that is no number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


class NvbandwidthDocument:
    """Gives one ``BandwidthMatrix`` for each entry of ``{"nvbandwidth": {"testcases": [...]}}``."""

    kind: ClassVar[str] = "nvbandwidth"

    @staticmethod
    def wants_document(value: object) -> bool:
        return isinstance(value, dict) and isinstance(value.get("nvbandwidth"), dict)

    def read(self, value: object, source: str, line: int) -> Iterable[BandwidthMatrix]:
        root = value.get("nvbandwidth") if isinstance(value, dict) else None
        cases = root.get("testcases") if isinstance(root, dict) else None
        found: dict[str, BandwidthMatrix] = {}
        for case in MAX_TESTS.first(cases if isinstance(cases, list) else []):
            if isinstance(case, dict) and isinstance(case.get("name"), str):
                matrix = _read_case(case, Ref(source, line))
                known = found.get(matrix.name)
                if known is None or known.status == "Running" or matrix.status != "Running":
                    found[matrix.name] = matrix
        return list(found.values())


def _read_case(case: dict[object, object], ref: Ref) -> BandwidthMatrix:
    description = str(case.get("bandwidth_description") or "")[:200]
    rows = case.get("bandwidth_matrix")
    matrix = tuple(
        tuple(_cell(cell) for cell in MAX_SIDE.first(row))
        for row in MAX_SIDE.first(rows if isinstance(rows, list) else [])
        if isinstance(row, list)
    )
    axes = _axes(description, matrix)
    return BandwidthMatrix(
        source=ref.source,
        name=str(case["name"])[:120],
        description=description,
        unit="ns" if "latency" in description or "latency" in str(case["name"]) else "GB/s",
        status=str(case.get("status") or ""),
        matrix=matrix,
        total=_cell(case.get("sum")),
        ref=ref,
        rows=axes[0],
        columns=axes[1],
    )


PARSER = NvbandwidthText
DOCUMENT = NvbandwidthDocument

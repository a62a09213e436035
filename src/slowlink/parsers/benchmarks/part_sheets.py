"""Sheets with a GPU or an HCA in each row and what it gave, as loops over the parts of a node print them::

    gpu 0: 391.2 GB/s
    gpu 1: 390.8 GB/s
    gpu 2: 201.7 GB/s
    gpu 3: 391.0 GB/s

or below words that say what was measured, also several in one line:

    # sendrecv_perf, one GPU and one HCA at a time
    HCA      r1-r2   r1-r3
    mlx5_0    48.5    48.4
    mlx5_3    21.9    22.0

    per-rank GEMM probe (8192^3 bf16, ms):
      rank  0  node hv-1  gpu 0   1.616

    $ ./gemm 8192   # TFLOP/s
    gpu0 712  gpu1 714  gpu2 711  gpu3 483

Nobody's format: the heading, the command above or the numbers themselves must say that they are bandwidth, compute
throughput or a time, and in which unit; a table of anything else (heat, memory, counters) is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from slowlink.averages import median
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.benchmarks.part_quantities import Quantity, quantities_of, quantity_of_unit
from slowlink.parsers.benchmarks.part_rows import LONGEST, NAMES_PART, PartRow, rows_of, sheets
from slowlink.parsers.forms.gates import Gate, any_of, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.forms.rdma_values import RDMA_STARTS
from slowlink.patterns import regex

_FEWEST = 4
"""Parts of one kind; among fewer none is the odd one."""
_GAP = 4
"""Lines between a heading and the first row, or between two rows."""
_LONGEST_HEADING = 160
_ALIKE = 3.0
"""Columns whose middles differ by more hold different things."""
_CELLS = regex(r"\s{0,8}[|,;]\s{0,8}|\s{2,40}|\t")
_SAYS = ("flop", "_perf", "_bw", "b/s", "bps", "bit/s", "bits/s", "gb/s", "bus bw", "busbw")
_SAYS_TIME = (" ms", "(ms", " us", "(us", " usec", "(usec", " msec", "(msec", "µs")
"""In small letters, one of these stands in each heading."""
_ATTRIBUTES = {
    ("gpu", "compute"): "gpu-tflops",
    ("gpu", "bandwidth"): "gpu-test-bandwidth",
    ("gpu", "time"): "gpu-test-time",
    ("hca", "bandwidth"): "hca-test-bandwidth",
}


class PartSheets:
    """Collects rows; whether they are a sheet, and of what, shows at its end."""

    kind: ClassVar[str] = "part-sheet"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        ("gpu", "gcd", "rail", *(start.lower() for start in RDMA_STARTS), *_SAYS, *_SAYS_TIME), fold=True
    )
    reads_beside: ClassVar[bool] = True
    """A command that says what it measures stands above its rows like a heading."""

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._rows: list[PartRow] = []
        self._quantities: tuple[Quantity, ...] = ()
        self._columns = ""
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return (anywhere(NAMES_PART),), (anywhere(any_of((*_SAYS, *_SAYS_TIME))),)

    @staticmethod
    def wants(text: str) -> bool:
        if NAMES_PART.search(text) is not None:
            return len(text) <= LONGEST
        return len(text) <= _LONGEST_HEADING and bool(quantities_of(text))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        rows = rows_of(line)
        if not rows:
            if quantities_of(line.text):
                self._close()
                self._open(line.text, line.no)
            return Use.NOT_MINE
        if line.no - self._last > _GAP:
            self._close()
            self._open("", line.no)
        if not self._rows:
            self._columns = line.before
        self._last = line.no
        if MAX_READINGS.has_room(len(self._found) + len(self._rows)):
            self._rows += rows
        told = quantities_of(self._columns) or self._quantities or quantity_of_unit(rows[0].amounts[0][1])
        return Use.USED if told else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        self._close()
        return self._found

    def _open(self, heading: str, no: int) -> None:
        self._rows, self._quantities, self._columns, self._last = [], quantities_of(heading), "", no

    def _close(self) -> None:
        for rows in sheets(self._rows):
            quantity, values = _measured(rows, self._columns, self._quantities)
            attribute = _ATTRIBUTES.get((rows[0].part.kind, quantity.kind)) if quantity is not None else None
            if quantity is None or attribute is None or len(rows) < _FEWEST:
                continue
            for row, value in zip(rows, values, strict=True):
                made = reading(attribute, row.part, value * quantity.factor, row.line)
                self._found.append(made if row.node is None else replace(made, host=row.node))


def _measured(
    rows: Sequence[PartRow], columns: str, quantities: Sequence[Quantity]
) -> tuple[Quantity | None, Sequence[float]]:
    """What each row gave: the first column that is a quantity by its unit or by its name, or, where one quantity was
    named for all of them, the middle of the row."""
    width = len(rows[0].amounts)
    cells = [cell for cell in _CELLS.split(columns.strip().strip("|#").strip()) if cell][-width:]
    for column in range(width):
        units = {row.amounts[column][1] for row in rows}
        named = quantities_of(cells[column]) if len(cells) == width and width > 1 else ()
        by_unit = quantity_of_unit(next(iter(units))) if len(units) == 1 else None
        quantity = by_unit or (named[0] if len(named) == 1 else None)
        if quantity is not None:
            return quantity, [row.amounts[column][0] for row in rows]
    told = quantities_of(columns) or quantities
    middles = [median(row.amounts[column][0] for row in rows) for column in range(width)]
    if len(told) != 1 or any(unit for row in rows for _, unit in row.amounts) or max(middles) > _ALIKE * min(middles):
        return None, ()
    return told[0], [median(amount for amount, _ in row.amounts) for row in rows]


PARSER = PartSheets

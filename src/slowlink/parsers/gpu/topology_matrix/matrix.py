"""One matrix: its columns, its rows as they come (also wrapped), and the readings that it gives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import takewhile

from msgspec import Struct, field

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import NODE, bus_id, reading, says_something
from slowlink.parsers.gpu.topology_matrix.cells import (
    AFFINITY,
    AFFINITY_NAMES,
    BEHIND_DEVICES,
    CELL,
    DIRECT,
    GPU,
    LABEL,
    TITLED_CELL,
)

MAX_COLUMNS = 256
_LONGEST_BEHIND = 4096
"""Characters of a row's affinities: lists of processors, on as many lines as a terminal makes of them."""
_SELF = frozenset({"X", "SELF"})
_ATTRIBUTE_OF_NAME = {
    "CPU Affinity": "gpu-cpu-affinity",
    "NUMA Affinity": "gpu-numa-node",
    "Node Affinity": "gpu-numa-node",
}
_NEAREST_FIRST = ("PIX", "PXB", "PHB", "NODE", "SYS")
_YES_NO = {"True": True, "ENABLED": True, "False": False, "DISABLED": False}


class Row(Struct):
    """The row of one GPU or adapter, as far as it has come."""

    label: str
    line: Line
    text: str = ""
    """Everything after the label, lines that the terminal broke joined again."""
    cells: list[str] = field(default_factory=list)
    behind: str = ""
    """What follows the cells: affinities."""


class Matrix(Struct):
    """A matrix that is being read: header and rows are added, then ``readings`` gives what it says."""

    header: Line
    attribute: str | None
    """What the cells of GPU pairs mean; None for a table whose cells are not read, "" for one that its cells decide."""
    columns: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Names of the columns after the devices: ``CPU Affinity``, ``NUMA Affinity`` ..."""
    rows: list[Row] = field(default_factory=list)
    nics: dict[str, str] = field(default_factory=dict)
    """``NIC0`` -> ``mlx5_0``, from the legend."""
    direct: dict[str, list[str]] = field(default_factory=dict)
    """``mlx5_0`` -> its data-direct functions ``DD0``, from the legend."""
    widened: str = ""
    """Text of the header so far."""
    wrapped: bool = False
    """Did a terminal break the header?"""

    def add_name(self, label: str, name: str) -> None:
        """A line of the legend."""
        if DIRECT.fullmatch(label) is None:
            self.nics[label] = name
        else:
            self.direct.setdefault(name, []).append(label)

    def add_header(self, text: str) -> bool:
        """More of the header; False when ``text`` is none: it names no further column, or more than a matrix has."""
        for between in ("", " ") if self.widened else ("",):
            joined = f"{self.widened}{between}{text.strip()}"
            columns = BEHIND_DEVICES.split(joined, 1)[0].split()
            names = list(dict.fromkeys(found[0] for found in AFFINITY_NAMES.finditer(joined)))
            grown = (len(columns), len(names)) > (len(self.columns), len(self.names))
            if grown and len(columns) <= MAX_COLUMNS and _in_sequence(columns):
                self.columns, self.names = columns, names
                self.widened, self.wrapped = joined, bool(self.widened)
                return True
        return False

    def add_row(self, label: str, text: str, line: Line) -> None:
        """A row that begins; it may be wrapped."""
        self.rows.append(Row(label, line))
        self.more(text)

    def more(self, text: str) -> bool:
        """More of the last row. False when the text cannot be its rest."""
        row = self.rows[-1]
        for between in ("", " "):
            joined = f"{row.text}{between}{text.rstrip(' ')}"
            cells = self._cells(joined)
            behind = _behind(joined, len(cells))
            grown = len(cells) > len(row.cells) or (len(cells) == len(self.columns) and len(behind) > len(row.behind))
            grown = grown and len(behind) <= _LONGEST_BEHIND
            if grown and (len(cells) < len(self.columns) or AFFINITY.fullmatch(behind)):
                row.text, row.cells, row.behind = joined, cells, behind
                return True
        return False

    def _cells(self, text: str) -> list[str]:
        valid = CELL if self.attribute == "" else TITLED_CELL
        return list(takewhile(valid.fullmatch, text.split()[: len(self.columns)]))

    @property
    def row_is_short(self) -> bool:
        """Does the last row still lack cells?"""
        return bool(self.rows) and len(self.rows[-1].cells) < len(self.columns)

    @property
    def row_waits(self) -> bool:
        """Could the affinities of the last row, or the rest of them, stand in the next line?"""
        row = self.rows[-1] if self.rows else None
        if row is None or GPU.fullmatch(row.label) is None:
            return False
        return self.wrapped or len(row.behind.split()) < len(self.names)

    def readings(self) -> Iterator[Reading]:
        """What the matrix says. A matrix without rows says nothing."""
        if not self.rows:
            return
        gpus = {label: number for column, label in enumerate(self.columns) if (number := self._gpu(column))}
        if self.names or any(cell in _SELF for row in self.rows for cell in row.cells):
            yield reading("topology-gpus", NODE, len(gpus), self.header)
            direct = sum(DIRECT.fullmatch(label) is not None for label in self.columns)
            yield reading("topology-nics", NODE, len(self.columns) - len(gpus) - direct, self.header)
        for column, label in enumerate(self.columns):
            address = bus_id(label)
            if address is not None and self.attribute == "gpu-pair-link":
                yield reading("gpu-bus-id", Part("gpu", str(column)), address, self.header)
        seen: dict[Part, Value] = {}
        for row in self.rows:
            if row.label in gpus:
                yield from self._pairs(row, gpus, seen)
                yield from self._affinities(row, gpus[row.label])

    def _gpu(self, column: int) -> str | None:
        """Number of the GPU of a column; an address stands for its place."""
        label = self.columns[column]
        numbered = GPU.fullmatch(label)
        return numbered[1] if numbered else str(column) if bus_id(label) else None

    def _pairs(self, row: Row, gpus: dict[str, str], seen: dict[Part, Value]) -> Iterator[Reading]:
        own = gpus[row.label]
        torn = row is self.rows[-1] and self.row_is_short  # its last cell may have lost its end: NV1 of NV18
        for column, cell in enumerate(row.cells[:-1] if torn else row.cells):
            other = self._gpu(column)
            if other == own or not says_something(cell) or cell == "NA":
                continue
            if other is None:
                yield from self._adapter(own, column, cell, row)
                continue
            first, second = sorted((own, other), key=int)
            part = Part("gpu-pair", f"{first}-{second}")
            attribute = self._attribute(cell)
            value = _value(cell)
            if attribute is not None and (part not in seen or (value != seen[part] and _is_bad(value))):
                seen[part] = value
                yield reading(attribute, part, value, row.line)

    def _adapter(self, gpu: str, column: int, cell: str, row: Row) -> Iterator[Reading]:
        label = self.columns[column]
        if DIRECT.fullmatch(label) is not None:
            return
        if self.columns.count(label) > 1:  # nvidia-smi cut long names off: only their order tells them apart
            label = (
                f"NIC{sum(LABEL.fullmatch(c) is not None and GPU.fullmatch(c) is None for c in self.columns[:column])}"
            )
        if self.attribute == "":
            name = self.nics.get(label, label)
            ways = [cell, *(row.cells[at] for at in self._columns_of(self.direct.get(name, ())) if at < len(row.cells))]
            known = [way for way in ways if way in _NEAREST_FIRST]
            nearest = min(known, key=_NEAREST_FIRST.index) if cell in known else cell
            yield reading("gpu-nic-link", Part("gpu-nic", f"{gpu}-{name}"), nearest, row.line)

    def _columns_of(self, labels: Collection[str]) -> list[int]:
        return [column for column, label in enumerate(self.columns) if label in labels]

    def _attribute(self, cell: str) -> str | None:
        if self.attribute == "" and (cell.isdecimal() or cell in _YES_NO):
            return None
        return "gpu-pair-link" if self.attribute == "" else self.attribute

    def _affinities(self, row: Row, gpu: str) -> Iterator[Reading]:
        for name, text in zip(self.names, _affinity_cells(row.behind, len(self.names)), strict=False):
            attribute = _ATTRIBUTE_OF_NAME.get(name)
            if attribute is None or not says_something(text):
                continue
            if attribute == "gpu-cpu-affinity":
                yield reading(attribute, Part("gpu", gpu), text, row.line)
            elif text.isdecimal():
                yield reading(attribute, Part("gpu", gpu), int(text), row.line)


def _is_bad(value: Value) -> bool:
    """Is this the direction of a pair that does not work?"""
    return value is False or value in ("CNS", "GNS", "TNS", "NS", "DR")


def _value(cell: str) -> Value:
    if cell in _YES_NO:
        return _YES_NO[cell]
    return int(cell) if cell.isdecimal() else cell


def _in_sequence(columns: list[str]) -> bool:
    """Are these labels of columns: devices counted up, and names of adapters?"""
    last = {"GPU": -1, "NPU": -1, "NIC": -1, "DD": -1}
    for label in columns:
        if LABEL.fullmatch(label) is None:
            return False
        kind = label.rstrip("0123456789")
        if kind in last and (number := label[len(kind) :]):
            if int(number) <= last[kind]:
                return False
            last[kind] = int(number)
    return bool(columns)


def _behind(text: str, cells: int) -> str:
    """What follows the first ``cells`` words of ``text``, tabs kept: they show where an empty cell is."""
    rest = text
    for _ in range(cells):
        rest = rest.lstrip()
        end = next((at for at, letter in enumerate(rest) if letter.isspace()), len(rest))
        rest = rest[end:]
    return rest


def _affinity_cells(text: str, expected: int) -> list[str]:
    """The affinities: by blanks when that gives one for each name, otherwise by tabs."""
    words = text.split()
    if len(words) == expected or "\t" not in text:
        return words
    return [cell.strip() for cell in text.split("\t")][1:]

"""What the rows of a table of nodes and parts say, as readings of parts and as facts that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.attributes import attribute
from slowlink.catalog.words.part_columns import Column, Told, named
from slowlink.catalog.words.varying_values import varies_by_name, varies_by_shape
from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import are_alike, are_parts, kind_of_name
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.parsers.host.part_tables.headings import Heading, is_none, part_named

SETTING = "node-setting"
"""``Observation.kind`` of what is only compared (``host/setting_tables.py``)."""
COUNTED = {"port": "counted-ports", "nvlink": "counted-nvlinks"}
"""``Observation.kind`` of what is counted of a node, by what it is."""
_OF_INTERFACE = {"port-rate": "interface-speed", "port-mtu": "interface-mtu", "port-state": "interface-state"}
_INTERFACE_STATES = {"Active": "up", "Down": "down"}
_STANDARD_RATES = frozenset((10.0, 20.0, 25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0))
"""Gb/s of links that are sold."""


class Row(Struct, frozen=True):
    """Cells, and the line they stand in."""

    cells: tuple[str, ...]
    line: Line


def records_of(heading: Heading, rows: Sequence[Row]) -> Iterator[Reading | Observation]:
    """Nothing where the names are not those of nodes, or the cells not what the heading says."""
    if heading.across:
        yield from _across(heading, rows)
        return
    nodes = [row.cells[heading.node] for row in rows] if heading.node is not None else []
    if nodes and not are_nodes(nodes):
        return
    if heading.part is not None and len(set(nodes)) == len(nodes) > 1 and _are_counts(heading, rows):
        column = Column("gpu-count" if heading.kind == "gpu" else "hca-count", read="count")
        heading = replace(heading, part=None, kind="", columns=((heading.part, column), *heading.columns))
    for row in rows:
        node = row.cells[heading.node] if heading.node is not None else row.line.host
        part = part_named(heading.kind, row.cells[heading.part]) if heading.part is not None else None
        for index, column in heading.columns:
            for told in column.told(row.cells[index]):
                yield from told_of(told, part, node, heading.titles[index], row.line)
        yield from _compared(heading, row, node)


def are_nodes(names: Sequence[str]) -> bool:
    """Are these names of nodes: built alike (also ``h200-a`` and ``h200-b``), and no parts?"""
    distinct = list(dict.fromkeys(names))
    alike = are_alike(distinct) or len({kind_of_name(name) for name in distinct} | {None}) == 1 + 1
    return alike and not are_parts(distinct)


def _are_counts(heading: Heading, rows: Sequence[Row]) -> bool:
    """Numbers below the name of a part, one for each node, are how many there are."""
    return heading.part is not None and all(row.cells[heading.part].isdecimal() for row in rows)


def told_of(
    told: Told, part: tuple[str, str] | None, node: str | None, title: str, line: Line
) -> Iterator[Reading | Observation]:
    """One value of one part of one node."""
    if told.counts or told.setting:
        if node:
            kind = COUNTED.get(told.counts, SETTING)
            yield Observation(kind, told.setting or title, str(told.value), node, line.ref())
        return
    name, value = told.attribute, told.value
    if part is not None and part[0] == "interface" and name in _OF_INTERFACE:
        name = _OF_INTERFACE[name]
        value = _INTERFACE_STATES.get(str(value), value)
    about = _part(attribute(name).part, part)
    if about is not None:
        made = reading(name, about, value, line)
        yield made if node is None else replace(made, host=node)


def _part(kind: str, part: tuple[str, str] | None) -> Part | None:
    """Which part an attribute of this kind is about; None where nobody names one."""
    if kind in ("node", "cpu"):
        return NODE if kind == "node" else Part("cpu", "all")
    if part is None:
        return Part("port", "port/1") if kind == "port" else None
    of, name = part
    if of == "hca" and kind in ("hca", "pci"):
        return Part("hca", name.partition("/")[0])
    if of == "hca" and kind == "port":
        return Part("port", name)
    if of == "gpu" and kind in ("gpu", "pci"):
        return Part("gpu", name)
    return Part("interface", name) if of == kind == "interface" else None


def _compared(heading: Heading, row: Row, node: str | None) -> Iterator[Observation]:
    """Cells of other columns, of tables with a node in each row."""
    if heading.node is None or heading.part is not None or not node:
        return
    known = {heading.node, *(index for index, _ in heading.columns)}
    for index, (title, cell) in enumerate(zip(heading.titles, row.cells, strict=True)):
        if index not in known and title and not (is_none(cell) or varies_by_name(title) or varies_by_shape(cell)):
            yield Observation(SETTING, title, cell, node, row.line.ref())


def _across(heading: Heading, rows: Sequence[Row]) -> Iterator[Reading | Observation]:
    """Parts, or nodes, side by side."""
    heads = [row.cells[0] for row in rows]
    nodes = heads if heading.across == "parts" else heading.titles[1:]
    column = heading.quantity or _quantity(heading, [cell for row in rows for cell in row.cells[1:]])
    if len(set(heads)) < len(heads) or not are_nodes(nodes) or column is None:
        return
    for row in rows:
        for title, cell in zip(heading.titles[1:], row.cells[1:], strict=True):
            node, name = (row.cells[0], title) if heading.across == "parts" else (title, row.cells[0])
            for told in column.told(cell):
                yield from told_of(told, part_named(heading.kind, name), node, "", row.line)


def _quantity(heading: Heading, cells: Sequence[str]) -> Column | None:
    """What cells are that no words explain: the one reader that reads all of them."""
    told = [cell for cell in cells if not is_none(cell)]
    if heading.kind == "gpu":
        names: tuple[str, ...] = ("pcie",)
    else:
        names = ("state", "rate", "firmware", "pcie")
    for name in names:
        column = named(name)
        values = [column.told(cell) for cell in told] if column is not None else []
        if not values or not all(values):
            continue
        if name == "rate" and any(float(each[0].value) not in _STANDARD_RATES for each in values):
            continue
        if name == "firmware" and not all(str(each[0].value).count(".") > 1 for each in values):
            continue
        return column
    return None

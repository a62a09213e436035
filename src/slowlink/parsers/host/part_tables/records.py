"""Records of nodes that scripts write as JSON: one a line, in one list, or by the nodes' names::

    {"node": "n1", "gpus": 8, "hcas": 8, "ib_rate": 400, "driver": "550.90.07"}
    [{"hostname": "tray01", "gpu_count": 8, "hcas": {"mlx5_0": {"rate": 400, "state": "Active"}}}]
    {"gx01": {"gpus": 8, "mlx5_0": "400"}, "gx02": {"gpus": 7, "mlx5_0": "400"}}

Their keys mean what titles of tables mean (``catalog/words/part_columns.toml``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from slowlink.catalog.attributes import attribute
from slowlink.catalog.words.part_columns import Column, column_of, plain_title
from slowlink.catalog.words.varying_values import varies_by_name, varies_by_shape
from slowlink.catalog.words.verdict_words import is_node_heading
from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.fronts.node_headings import are_alike
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.host.part_tables.headings import part_named
from slowlink.parsers.host.part_tables.meaning import SETTING, are_nodes, told_of
from slowlink.patterns import regex

_HOST = regex(r"[A-Za-z][\w.-]{1,80}")
_NUMBERED = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_PART_LISTS = {"gpus": "gpu", "gpu": "gpu", "hcas": "hca", "nics": "hca", "ports": "hca", "devices": "hca", "ib": "hca"}
_PART_KEYS = ("name", "device", "hca", "dev", "id", "index", "gpu", "port", "nic")
_OTHERS = regex(
    r"(?i)step|loss|epoch|iter|level|msg|message|event|coll\w*|busbw|algbw|bandwidth|comm\w*|rank|pid|kind|apiversion"
)
"""Keys of records that tell of a job or a log."""
MAX_RECORDS = Limit(20_000, "records of nodes")
_KEYS_OF_A_NODE = 60


class NodeRecords:
    """Reads what is known of the keys."""

    kind: ClassVar[str] = "node-records"
    last_resort: ClassVar[bool] = True
    """What some program's own format is, is no record that a script made of a node."""

    @staticmethod
    def wants_document(value: object) -> bool:
        records = list(_records(value, 4))
        return bool(records) and all(_is_record(record) for _, record in records)

    def read(self, value: object, source: str, line: int) -> Iterable[Reading | Observation]:
        for count, (node, record) in enumerate(_records(value, None)):
            if not MAX_RECORDS.has_room(count):
                return
            yield from _record(node, record, source, line)


def _records(value: object, most: int | None) -> Iterator[tuple[str, Mapping[str, object]]]:
    """(node, record) of a record, a list of them, or a mapping from the names of nodes."""
    if isinstance(value, list):
        for each in value[:most]:
            found = list(_records(each, 1)) if isinstance(each, dict) else [("", {})]
            yield from found
    elif isinstance(value, dict):
        node = _node_of(value)
        inner = [each for each in value.values() if isinstance(each, dict)]
        if node:
            yield node, value
        elif len(inner) == len(value) > 1 and all(map(_NUMBERED.fullmatch, value)) and _are_nodes(value, inner[0]):
            yield from ((name, each) for name, each in list(value.items())[:most] if isinstance(each, dict))
        elif len(value) == 1 and isinstance(only := next(iter(value.values())), list):
            yield from _records(only, most)


def _are_nodes(value: Mapping[str, object], first: Mapping[str, object]) -> bool:
    """By their names; ``gpu-1`` is a node where it has GPUs itself."""
    names = list(value)
    return are_nodes(names) or (are_alike(names) and any(_of_node(key) for key in first))


def _of_node(key: str) -> bool:
    column = _column(key)
    return column is not None and attribute_part(column) == "node"


def _node_of(record: Mapping[str, object]) -> str:
    for key, said in record.items():
        if isinstance(key, str) and is_node_heading(key.replace("_", " ")) and isinstance(said, str):
            return said if _HOST.fullmatch(said) else ""
    return ""


def _is_record(record: Mapping[str, object]) -> bool:
    """Does it tell of a node's parts, and of nothing else that programs record?"""
    keys = [key for key in record if isinstance(key, str)]
    if len(keys) > _KEYS_OF_A_NODE or any(map(_OTHERS.fullmatch, keys)):
        return False
    return any(_column(key) is not None or plain_title(key) in _PART_LISTS or part_named("hca", key) for key in keys)


def _column(key: str) -> Column | None:
    column = column_of(key)
    return column if column is not None and column.may_stand("", plain_title(key)) else None


def attribute_part(column: Column) -> str:
    """The kind of part that a column is about."""
    return attribute(column.attribute).part if column.attribute else "node"


def _record(node: str, record: Mapping[str, object], source: str, number: int) -> Iterator[Reading | Observation]:
    for key, said in record.items():
        text = f"{node}: {key} {said}" if isinstance(said, str | int | float) else f"{node}: {key}"
        line = Line(source, number, text)
        plain = plain_title(key)
        if isinstance(said, dict | list) and plain in _PART_LISTS:
            yield from _parts(_PART_LISTS[plain], said, node, line)
        elif isinstance(said, dict) and (part := part_named("hca", key)) is not None:
            yield from _of_part("hca", part, said, node, line)
        elif isinstance(said, str | int | float) and not isinstance(said, bool):
            column = _column(key)
            cell = str(int(said)) if isinstance(said, float) and said == int(said) else str(said)
            if column is not None:
                for told in column.told(cell):
                    yield from told_of(told, None, node, key, line)
            elif not (is_node_heading(plain) or varies_by_name(plain) or varies_by_shape(cell)):
                yield Observation(SETTING, key, cell, node, line.ref())


def _parts(kind: str, said: object, node: str, line: Line) -> Iterator[Reading | Observation]:
    """``{"mlx5_0": {...}}`` and ``[{"name": "mlx5_0", ...}]``; a list of anything is as many."""
    if isinstance(said, dict):
        for name, each in said.items():
            if (part := part_named(kind, str(name))) is not None and isinstance(each, dict):
                yield from _of_part(kind, part, each, node, line)
        return
    for each in said if isinstance(said, list) else ():
        if isinstance(each, dict):
            name = next((str(each[key]) for key in _PART_KEYS if key in each), "")
            if (part := part_named(kind, name)) is not None:
                yield from _of_part(kind, part, each, node, line)


def _of_part(
    kind: str, part: tuple[str, str], said: Mapping[str, object], node: str, line: Line
) -> Iterator[Reading | Observation]:
    for key, value in said.items():
        column = column_of(key) if isinstance(value, str | int | float) else None
        if column is not None and column.may_stand(kind, plain_title(key)):
            cell = str(int(value)) if isinstance(value, float) and value == int(value) else str(value)
            for told in column.told(cell):
                yield from told_of(
                    told, part, node, key, Line(line.source, line.no, f"{node}: {part[1]} {key} {value}")
                )

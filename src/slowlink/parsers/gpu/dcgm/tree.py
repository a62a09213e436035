"""The tree that dcgmi prints, as a box of text or, with ``-j``, as JSON: labels with values, overflow and children.

Source: ``dcgmi/DcgmiOutput.cpp`` of DCGM 2 to 4: both forms are made of the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from slowlink.model.source import Line
from slowlink.parsers.forms.limit import Limit

MAX_DEPTH = 8
MAX_NODES = Limit(50_000, "rows")


class Node(Struct):
    """One row of dcgmi's output: a label, its value, and the rows below it."""

    label: str
    value: str
    line: Line
    overflow: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    def child(self, label: str) -> Node | None:
        """The first child with this label."""
        return next((node for node in self.children if node.label == label), None)

    def walk(self) -> Iterator[Node]:
        """Itself and everything below."""
        yield self
        for node in self.children:
            yield from node.walk()


class Tree(Struct):
    """One box: its header lines and its sections."""

    header: list[str]
    line: Line
    sections: list[Node] = field(default_factory=list)


def tree_of(value: Mapping[str, object], line: Line) -> Tree | None:
    """The tree of a JSON object with ``body`` and ``header``; None when it is none."""
    body, header = value.get("body"), value.get("header", [])
    if not isinstance(body, Mapping):
        return None
    words = header if isinstance(header, list) else [header]
    sections = list(_nodes(body, line, [0], 0))
    return Tree([word.strip() for word in words if isinstance(word, str)], line, sections)


def _nodes(body: Mapping[object, object], line: Line, made: list[int], depth: int) -> Iterator[Node]:
    """``made``: how many there are so far, in its one place."""
    for label, content in body.items():
        if depth > MAX_DEPTH or not MAX_NODES.has_room(made[0]):
            return
        made[0] += 1
        if not isinstance(content, Mapping):
            content = {"value": content}
        node = Node(str(label).strip(), _text(content.get("value")), line)
        overflow = content.get("overflow")
        if isinstance(overflow, list):
            node.overflow = [word for each in overflow if (word := _text(each))]
        children = content.get("children")
        if isinstance(children, Mapping):
            node.children = list(_nodes(children, line, made, depth + 1))
        yield node


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        value = value.get("value")
    return str(value).strip()[:4000] if isinstance(value, str | int | float) else ""

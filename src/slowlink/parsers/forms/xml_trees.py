"""XML documents that draw trees of devices, one tag a line: hwloc's and NCCL's topology.

No XML parser: the documents come in pieces, inside job logs, and entities are never followed. A format says how its
tags look and what its root is called; here stand the tags, the root and the end of each tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.device_tree import DeviceTree
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_TREES = Limit(20_000, "trees of devices")
_ATTRIBUTE = regex(r'(\w{1,40})="([^"]{0,1000})"')


def not_closed(line: int) -> str:
    """In words, that the document that begins in ``line`` has no end."""
    return f"the XML document that begins in line {line:,} is not closed: cut?"


class Element(Struct, frozen=True):
    """One tag: ``<name a="b">``, ``<name/>`` or ``</name>``."""

    name: str
    told: dict[str, str]
    """Its attributes."""
    closes: bool
    empty: bool


class XmlTrees:
    """Follows the elements of each tree. A format gives the four things at the top and :meth:`element`."""

    kind: ClassVar[str]
    tag: ClassVar[re.Pattern[str]]
    """A line of the format; its groups are ``close``, ``name`` and ``attributes``."""
    root: ClassVar[str]
    ports_of_switches: ClassVar[bool]
    """See :class:`DeviceTree`."""
    literals: ClassVar[Literals] = Literals(("\n<",))

    def __init__(self) -> None:
        self.unfinished = ""
        self._found: list[Reading] = []
        self._began = 0
        """The line of the last root that was opened and not closed; 0 for none."""
        self._tree: DeviceTree | None = None
        self._trees = 0

    @classmethod
    def wants(cls, text: str) -> bool:
        return "<" in text[:200] and cls.tag.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        match = self.tag.fullmatch(line.text)
        if match is None:
            return Use.NOT_MINE
        attributes = match["attributes"]
        told = dict(_ATTRIBUTE.findall(attributes))
        element = Element(match["name"], told, bool(match["close"]), attributes.endswith("/"))
        if element.name == self.root:
            self._close()
            if element.closes:
                self._began = 0
            if self.begins(element):
                self._note_open()
                self._began = line.no
                self._tree = DeviceTree(ports_of_switches=self.ports_of_switches)
                self._trees += 1
            return Use.IGNORED
        return Use.NOT_MINE if self._tree is None else self.element(self._tree, element, line)

    def finish(self) -> Iterable[Reading]:
        self._close()
        self._note_open()
        return self._found

    def begins(self, root: Element) -> bool:
        """Whether a tree begins with this tag of the root's name."""
        return not root.closes

    def element(self, tree: DeviceTree, element: Element, line: Line) -> Use:
        """Takes one element below the root."""
        raise NotImplementedError

    def readings(self, tree: DeviceTree) -> Iterable[Reading]:
        """What a tree that has ended tells."""
        return tree.readings()

    def _note_open(self) -> None:
        if self._began:
            self.unfinished = self.unfinished or not_closed(self._began)

    def _close(self) -> None:
        if self._tree is not None and MAX_TREES.has_room(self._trees - 1):
            self._found.extend(self.readings(self._tree))
        self._tree = None

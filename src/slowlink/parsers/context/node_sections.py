"""Headings of nodes in no tool's form, where two or more siblings stand in one source::

    ===== roce-a =====
    hca_id: mlx5_0
            port:   1
                    active_mtu:             4096 (5)
    ===== roce-b =====
    hca_id: mlx5_0
            port:   1
                    active_mtu:             1024 (3)

Whether output of tools follows them, the reader of the source decides at its end (``reading/sections.py``): so the
records here are proposals. A heading of the same form above a summary ends the last node's section.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.forms.fronts.node_headings import (
    HEADING_MARKS,
    Heading,
    ends_nodes,
    heading_of,
    kind_of_name,
    may_have_kind,
    nodes_among,
)
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals

MAX_HEADINGS = Limit(50_000, "headings")
PROPOSED = "heading"
"""``Collected.collector`` of a proposal."""


class NodeSections:
    """Gives one ``Collected`` for each heading that has siblings, and one without a host where sections end."""

    kind: ClassVar[str] = "host-headings"
    literals: ClassVar[Literals] = Literals(HEADING_MARKS, fold=True)

    def __init__(self) -> None:
        self._found: list[tuple[Heading, Line]] = []
        self._kinds: dict[tuple[str, str], str] = {}
        """(form, kind of name) -> the first name."""
        self.place: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        heading = heading_of(text)
        return heading is not None and (ends_nodes(heading) or may_have_kind(heading.name))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        heading = heading_of(line.text)
        if heading is None or not MAX_HEADINGS.has_room(len(self._found)):
            return Use.NOT_MINE
        self._found.append((heading, line))
        kind = kind_of_name(heading.name)
        if kind is None:
            return Use.NOT_MINE
        if self._kinds.setdefault((heading.form, kind), heading.name) != heading.name:
            self.place = heading.name  # the first of its kind may be anything
        return Use.IGNORED

    def finish(self) -> Iterable[Collected]:
        nodes = nodes_among(heading for heading, _ in self._found)
        forms = {node.form for node in nodes}
        for heading, line in self._found:
            if heading in nodes:
                yield Collected(PROPOSED, "ran", heading.form, line.ref(), heading.name)
            elif heading.form in forms and ends_nodes(heading):
                yield Collected(PROPOSED, "ran", heading.form, line.ref(), None)


PARSER = NodeSections

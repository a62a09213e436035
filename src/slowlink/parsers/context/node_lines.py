"""Lines below headings of nodes, whatever they say: what scripts of nobody's form print can still be compared::

    ==== n01 ====
    nvidia 535.183.01
    kernel 5.15.0-91-generic
    ==== n02 ====
    nvidia 535.161.08
    kernel 5.15.0-91-generic
    ==== n03 ====
    nvidia 535.183.01
    kernel 5.15.0-91-generic

Each line is known by its first words, and by which of them it is where several begin alike. The reader of the source
keeps those that nothing else was read from, below headings that hold; ``node-lines-differ`` compares them. Lines whose
values differ from node to node by nature (addresses, times, temperatures, counters) are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import ClassVar

from slowlink.catalog.words.varying_values import varies
from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.fronts.node_headings import (
    HEADING_MARKS,
    LINES_OF_NODE,
    RULER,
    kind_of_name,
    section_heading,
)
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

LINE_OF_NODE = "node-line"
"""``Observation.kind``: subject is how a line is known, value what it says."""
MAX_LINES = Limit(20_000, "lines of nodes")
_FENCE = "```"
"""What is behind the end of a block in Markdown was not printed by a node."""
_KEY = regex(r"(?P<key>[A-Za-z][^:=\d]{0,40}?|[A-Za-z/][\w./-]{0,60})(?P<place>\s{0,8}[:=]|\s{1,40})\s{0,40}(?=\S)")


class NodeLines:
    """Remembers each line of the section of a node that is open."""

    kind: ClassVar[str] = "host-headings"
    literals: ClassVar[Literals] = Literals(HEADING_MARKS, fold=True)

    def __init__(self) -> None:
        self._found: list[Observation] = []
        self._host = ""
        self._until = 0
        self._counts: Counter[str] = Counter()
        self.kept = 0
        """Number of the last line that was remembered: where nobody else reads it, it is not unread."""

    @staticmethod
    def wants(text: str) -> bool:
        heading = section_heading(text)
        return RULER.fullmatch(text) is not None or (
            heading is not None and (heading.form == "|" or kind_of_name(heading.name) is not None)
        )

    @property
    def greedy(self) -> bool:
        return bool(self._until)

    def feed(self, line: Line) -> Use:
        """Look at a line and leave it to the others."""
        text = line.text[:300].rstrip()
        if self.wants(text):
            heading = section_heading(text)
            self._begin(heading.name if heading is not None else "", line.no)
        elif line.no > self._until or text.startswith(_FENCE):
            self._until = 0
        elif (said := _said(text, self._host)) is not None and MAX_LINES.has_room(len(self._found)):
            self._counts[said[0]] += 1
            number = self._counts[said[0]]
            key = f"{said[0]} #{number}" if number > 1 else said[0]
            self.kept = line.no
            self._found.append(Observation(LINE_OF_NODE, key, said[1], None, line.ref()))
        return Use.NOT_MINE

    def finish(self) -> Iterable[Observation]:
        return self._found

    def _begin(self, host: str, number: int) -> None:
        self._host, self._until = host, number + LINES_OF_NODE
        self._counts.clear()


def _said(text: str, host: str) -> tuple[str, str] | None:
    """(first words, the rest with one blank between words); None for what is not compared."""
    found = _KEY.match(text.strip())
    if found is None or varies(text):
        return None
    rest = " ".join(text.strip()[found.end() :].split())
    if host and host in rest:
        rest = rest.replace(host, "NODE")
    return found["key"].strip(), rest


PARSER = NodeLines

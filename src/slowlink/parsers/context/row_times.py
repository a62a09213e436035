"""When each row of a benchmark's table came, as slowlink noted while it read them (``row-times`` beside ``stdout``)::

    slowlink-row 37 1795000012.250

A row tells of the time since the row before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_ROWS = Limit(100_000, "times of rows")
_ROW = regex(r"slowlink-row (?P<line>\d{1,9}) (?P<at>\d{1,12}\.\d{3})")


class RowTimes:
    """Gives an observation for each row: its line in ``stdout``, and when it was there."""

    kind: ClassVar[str] = "row-times"
    literals: ClassVar[Literals] = Literals(("\nslowlink-row ",))

    def __init__(self) -> None:
        self._found: list[Observation] = []

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith("slowlink-row ") and _ROW.fullmatch(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _ROW.fullmatch(line.text)
        if found is None:
            return Use.NOT_MINE
        if MAX_ROWS.has_room(len(self._found)):
            self._found.append(Observation("row-ended", found["line"], found["at"], line.host, line.ref()))
        return Use.USED

    def finish(self) -> Iterable[Observation]:
        return self._found


PARSER = RowTimes

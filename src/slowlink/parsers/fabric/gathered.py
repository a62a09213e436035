"""The readings that one parser of the fabric has found so far."""

from __future__ import annotations

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading


class Gathered:
    """Collects readings, ``MAX_READINGS`` at most: hostile input cannot grow memory beyond that."""

    def __init__(self) -> None:
        self.all: list[Reading] = []

    def add(self, attribute: str, part: Part, value: Value | None, line: Line) -> None:
        """Keep one reading. A value of None says nothing, and makes none."""
        if value is not None and MAX_READINGS.has_room(len(self.all)):
            self.all.append(reading(attribute, part, value, line))

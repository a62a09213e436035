"""What one reader of the fabric has found so far."""

from __future__ import annotations

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading


class Gathered:
    """Readings of one stream, up to a bound."""

    def __init__(self) -> None:
        self.all: list[Reading] = []

    def add(self, attribute: str, part: Part, value: Value | None, line: Line) -> None:
        """Keep one reading; None says nothing."""
        if value is not None and len(self.all) < MAX_READINGS:
            self.all.append(reading(attribute, part, value, line))

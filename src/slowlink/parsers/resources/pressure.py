"""How much of the time processes wait for memory, disks or processors: the kernel's pressure files::

    /proc/pressure/memory
    some avg10=71.22 avg60=66.70 avg300=51.01 total=81201120112
    full avg10=55.02 avg60=51.31 avg300=38.82 total=61201120112

``some``: at least one process waited; ``full``: all that had work did. The lines do not name what they waited for: the
name of the file above, or before them, does. Source: ``Documentation/accounting/psi.rst`` of Linux 4.20 to 6.12.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, NODE, reading
from slowlink.patterns import regex

_FILE = regex(r".{0,120}/(?:proc/pressure/|\S{1,100}/)(?P<what>cpu|io|memory)(?:\.pressure)?(?P<end>\b.{0,40})")
_LINE = regex(
    r"(?:\S{1,120}[/ ](?P<what>cpu|io|memory)(?:\.pressure)?:)?(?P<kind>some|full) avg0?10=(?P<ten>[\d.]{1,6}) avg60="
)
_SHAPE = regex(
    r"(?:\S{1,120}:)?(?:some|full) avg\d\d=[\d.]{1,6} avg\d\d=(?P<minute>[\d.]{1,6}) avg\d{3}=[\d.]{1,6} total=\d+\s*"
)


class Pressure:
    """Remembers which file was named last; keeps what the last minute was like."""

    kind: ClassVar[str] = "pressure"
    literals: ClassVar[Literals] = Literals(("some avg", "full avg", "/proc/pressure/"))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._what: str | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return _SHAPE.fullmatch(text) is not None or ("/proc/pressure/" in text and _FILE.match(text) is not None)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        shape = _SHAPE.fullmatch(line.text)
        file = _FILE.match(line.text)
        if shape is None:
            self._what = file["what"] if file is not None else None
            alone = file is not None and line.text.strip("=<> ") == line.text[: file.end("what")].strip("=<> ")
            return Use.IGNORED if alone and " " not in line.text.strip("=<> ") else Use.NOT_MINE
        named = _LINE.match(line.text)
        what = (named["what"] if named is not None else None) or self._what
        if what is None or named is None:
            return Use.IGNORED
        if MAX_READINGS.has_room(len(self._found)):
            minute = float(shape["minute"]) if shape["minute"].count(".") < 2 else 0.0
            self._found.append(reading(f"pressure-{what}-{named['kind']}", NODE, minute, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = Pressure

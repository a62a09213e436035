"""``dcgmi dmon``: a heading of short field names, then one row for each entity and sample::

    #Entity   TMPTR  POWER    FBUSD
    ID
    GPU 1     47     93.104   0
    GPU 0     45     71.034   11

The heading is repeated every few samples. A field that a GPU does not have is ``N/A``, so a row is read only when it
has as many cells as the heading has names. Memory is in MiB. Rows of other entities than GPUs are left alone.

Source: ``dcgmi/DeviceMonitor.cpp`` of DCGM 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, number, reading
from slowlink.parsers.gpu.dcgm.fields import SHORT
from slowlink.patterns import regex

_HEAD = regex(r"\s{0,8}#\s?Entity\s{1,40}(?P<names>[A-Z\d]{2,12}(?:\s{1,60}[A-Z\d]{2,12}){0,60})\s*$")
_UNITS = regex(r"\s{0,8}(?:ID|Id)(?:\s{1,60}[\w/%#]{1,8}){0,60}\s*$")
_ROW = regex(r"\s{0,8}GPU (?P<gpu>\d{1,4})\s{1,40}(?P<values>[\w.-]{1,40}(?:/A)?(?:\s{1,60}[\w./-]{1,40}){0,60})\s*$")


class DcgmDmon:
    """Holds the field names of the last heading and matches rows of GPUs with them."""

    kind: ClassVar[str] = "dcgm-dmon"
    literals: ClassVar[Literals] = Literals(("\nGPU 0", "Entity", "\nID", "\nId"))

    def __init__(self) -> None:
        self._names: list[str] = []
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return _ROW.match(text) is not None or _HEAD.match(text) is not None or _UNITS.match(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        head = _HEAD.match(line.text)
        if head is not None:
            self._names = head["names"].split()
            return Use.IGNORED
        if not self._names:
            return Use.NOT_MINE
        row = _ROW.match(line.text)
        if row is None:
            return Use.IGNORED if _UNITS.match(line.text) else Use.NOT_MINE
        values = row["values"].split()
        if len(values) != len(self._names):
            return Use.NOT_MINE
        for name, text in zip(self._names, values, strict=True):
            value = number(text)
            for field in SHORT.get(name, ()):
                if value is not None and MAX_READINGS.has_room(len(self._found)):
                    said = field.convert(value)
                    if said is not None:
                        self._found.append(reading(field.attribute, Part("gpu", row["gpu"]), said, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = DcgmDmon

"""A small format that reading is tested with, apart from the real ones: ``<size> <size> float -1 <value>``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Record, Use

_ROW = re.compile(r"\s*\d+ \d+ float -1(?P<value> \d+)?$")


class ToyRows:
    """Gives one Observation a row. A row without its value waits for it (greedy), like a torn table row."""

    kind: ClassVar[str] = "toy"

    def __init__(self) -> None:
        self._found: list[Record] = []
        self._waiting: Line | None = None

    @staticmethod
    def wants(text: str) -> bool:
        return _ROW.match(text) is not None

    @property
    def greedy(self) -> bool:
        return self._waiting is not None

    def feed(self, line: Line) -> Use:
        row = _ROW.match(line.text)
        if row is not None and row["value"]:
            return self._add(line, row["value"])
        if row is not None:
            self._waiting = line
            return Use.USED
        if self._waiting is not None and line.text.strip().isdigit():
            first, self._waiting = self._waiting, None
            return self._add(first, line.text)
        return Use.NOT_MINE

    def _add(self, line: Line, value: str) -> Use:
        subject = f"{line.stream}|{line.rank}|{line.before}"
        self._found.append(Observation("toy", subject, value.strip(), line.host, line.ref()))
        return Use.USED

    def finish(self) -> Iterable[Record]:
        return self._found


class ToyDocument:
    """Reads ``{"toy": ...}``."""

    kind: ClassVar[str] = "toy-json"

    @staticmethod
    def wants_document(value: object) -> bool:
        return isinstance(value, dict) and "toy" in value

    def read(self, value: object, source: str, line: int) -> Iterable[Record]:
        from slowlink.model.source import Ref

        yield Observation("toy-json", source, repr(value), None, Ref(source, line))

"""Plain facts that single lines state, as data: the counterpart of ``message_table`` for ``Observation``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.message_table import MATCH_CHARACTERS, compiled, is_library_line

MAX_OBSERVATIONS = 5000


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. The groups ``subject`` and ``value`` of the pattern fill the observation."""

    kind: str
    mark: str
    """Literal text, without digits, in every line that states it."""
    pattern: str
    samples: tuple[str, ...]
    subject: str = ""
    """The subject where the pattern has no such group."""
    value: str = ""
    """The value where the pattern has no such group."""


class ObservationParser:
    """Reads the facts of one table from the lines of one stream, equal ones folded."""

    kind: ClassVar[str] = ""
    facts: ClassVar[tuple[Fact, ...]] = ()
    _marks: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._marks = tuple(dict.fromkeys(fact.mark for fact in cls.facts))

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str, str | None], Observation] = {}

    @classmethod
    def wants(cls, text: str) -> bool:
        return any(mark in text for mark in cls._marks)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MATCH_CHARACTERS]
        if is_library_line(text):
            return Use.NOT_MINE
        used = False
        for fact in self.facts:
            match = compiled(fact.pattern).search(text) if fact.mark in text else None
            if match is not None:
                groups = match.groupdict()
                subject = (groups.get("subject") or fact.subject).strip()
                self._add(fact.kind, subject, (groups.get("value") or fact.value).strip(), line)
                used = True
        return Use.USED if used else Use.NOT_MINE

    def finish(self) -> Iterable[Observation]:
        return list(self._found.values())

    def _add(self, kind: str, subject: str, value: str, line: Line) -> None:
        key = (kind, subject, value, line.host)
        known = self._found.get(key)
        if known is not None:
            self._found[key] = Observation(kind, subject, value, known.host, known.ref, known.count + 1)
        elif len(self._found) < MAX_OBSERVATIONS:
            self._found[key] = Observation(kind, subject, value, line.host, line.ref())

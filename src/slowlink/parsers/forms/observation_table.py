"""Plain facts that single lines state, as data: the counterpart of ``message_table`` for ``Observation``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.gates import is_blind
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS, Folded, MarkedLineParser, compiled
from slowlink.parsers.forms.rows import NOT_MINE, Row, Rows

MAX_OBSERVATIONS = Limit(20_000, "different facts")
"""Distinct observations of one source; further ones are dropped."""
MOST_OF_STEPS = 1000
"""Of those that every step states."""


class Fact(Struct, frozen=True):
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
    informative: bool = False
    """Shown among the report's facts on purpose, and no rule concludes anything from it; the reason stands beside the
    entry. Its lines count as used: their value is in the report."""
    of_step: bool = False
    """One line a step states it. The first steps of a stream are shown; what all of them took, their pace tells."""


class ObservationParser(MarkedLineParser):
    """Reads the facts of one table from the lines of one stream, equal ones folded."""

    facts: ClassVar[tuple[Fact, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.knows_marks(fact.mark for fact in cls.facts)

    def __init__(self) -> None:
        self._found: Folded[Observation] = Folded(MAX_OBSERVATIONS)
        self._steps = 0

    def take(self, line: Line, text: str) -> Use:
        used = False
        for fact in self.facts:
            match = compiled(fact.pattern).search(text) if fact.mark in text else None
            used = used or match is not None
            if match is not None and (not fact.of_step or self._steps < MOST_OF_STEPS):
                self._steps += fact.of_step
                groups = match.groupdict()
                subject = (groups.get("subject") or fact.subject).strip()
                self._add(fact.kind, subject, (groups.get("value") or fact.value).strip(), line)
        return Use.USED if used else Use.NOT_MINE

    @classmethod
    def patterns(cls) -> Iterable[tuple[str, str]]:
        return ((fact.mark, fact.pattern) for fact in cls.facts)

    @classmethod
    def row(cls, text: str) -> Row | None:
        front = text[:MATCH_CHARACTERS]
        found = [fact for fact in cls.facts if fact.mark in front]
        if found and all(fact.of_step and is_blind(fact.pattern) for fact in found):
            return Row() if any(compiled(fact.pattern).search(front) for fact in found) else NOT_MINE
        return super().row(text)

    def feed_rows(self, rows: Rows) -> None:
        for row in range(len(rows)):
            if self._steps >= MOST_OF_STEPS:
                return
            self.feed(rows.line(row))

    def finish(self) -> Iterable[Observation]:
        return self._found.records()

    def _add(self, kind: str, subject: str, value: str, line: Line) -> None:
        key = (kind, subject, value, line.host or line.place)
        if not self._found.counts_again(key, line) and self._found.has_room():
            self._found.keep(key, Observation(kind, subject, value, line.host, line.ref()))

"""Plain facts that single lines state, as data: the counterpart of ``message_table`` for ``Observation``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.marked_lines import Folded, MarkedLineParser, compiled

MAX_OBSERVATIONS = Limit(20_000, "different facts")
"""Distinct observations of one source; further ones are dropped."""


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


class ObservationParser(MarkedLineParser):
    """Reads the facts of one table from the lines of one stream, equal ones folded."""

    facts: ClassVar[tuple[Fact, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.knows_marks(fact.mark for fact in cls.facts)

    def __init__(self) -> None:
        self._found: Folded[Observation] = Folded(MAX_OBSERVATIONS)

    def take(self, line: Line, text: str) -> Use:
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
        return self._found.records()

    def _add(self, kind: str, subject: str, value: str, line: Line) -> None:
        key = (kind, subject, value, line.host or line.place)
        if not self._found.counts_again(key) and self._found.has_room():
            self._found.keep(key, Observation(kind, subject, value, line.host, line.ref()))

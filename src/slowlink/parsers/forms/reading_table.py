"""Readings that single lines give, as data: the counterpart of ``observation_table`` for ``Reading``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from msgspec import Struct, field

from slowlink.catalog.attributes import attribute
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.gates import Gate, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.forms.marked_lines import MarkedLineParser, compiled

Convert = Callable[[re.Match[str]], Value | None]


def first_group(match: re.Match[str]) -> Value | None:
    """The text of the group ``value``, without blanks around it."""
    return match["value"].strip() or None


class LineFact(Struct, frozen=True):
    """One kind of line."""

    attribute: str
    mark: str
    """Literal text, without digits, in every such line."""
    pattern: str
    """Must match at the start of the line, after blanks."""
    samples: Mapping[str, Value | None]
    """Lines and the value that each gives: the table's own test. None: the line belongs to the format."""
    convert: Convert = field(default=first_group)
    part: str = ""
    """Name of the part, from the pattern's groups; its kind is the attribute's."""
    told_by: tuple[str, ...] = ()
    """Literals, one of which stands in the form of every such line, where the mark stands in many other lines too."""


class ReadingParser(MarkedLineParser):
    """Reads the facts of one table from the lines of one stream."""

    searches: ClassVar[bool] = False
    facts: ClassVar[tuple[LineFact, ...]] = ()
    legend: ClassVar[re.Pattern[str] | None] = None
    """Lines that belong to the format and say nothing."""
    legend_marks: ClassVar[tuple[str, ...]] = ()
    """Literals, one of which stands in every line of the legend."""

    def __init_subclass__(cls) -> None:
        cls.knows_marks(fact.mark for fact in cls.facts)
        told_by = (mark for fact in cls.facts for mark in fact.told_by or (fact.mark,))
        cls.literals = Literals(dict.fromkeys((*told_by, *cls.legend_marks)))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @classmethod
    def gate(cls) -> Gate:
        """Open where a fact or the legend may stand."""
        facts = at_start(*(rf"\s*(?:{fact.pattern})" for fact in cls.facts))
        return ((f"{facts}|{at_start(cls.legend)}" if cls.legend is not None else facts,),)

    @classmethod
    def wants(cls, text: str) -> bool:
        if cls.legend is not None and cls.legend.match(text):
            return True
        return any(fact.mark in text and compiled(fact.pattern).match(text.lstrip()) for fact in cls.facts)

    def take(self, line: Line, text: str) -> Use:
        used = known = False
        for fact in self.facts:
            match = compiled(fact.pattern).match(text.lstrip()) if fact.mark in text else None
            if match is None:
                continue
            known = True
            value = fact.convert(match)
            if value is not None and MAX_READINGS.has_room(len(self._found)):
                part = Part(attribute(fact.attribute).part, fact.part.format(**match.groupdict()))
                self._found.append(reading(fact.attribute, part, value, line))
                used = True
        if used:
            return Use.USED
        return Use.IGNORED if known or (self.legend is not None and self.legend.match(text)) else Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

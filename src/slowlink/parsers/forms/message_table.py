"""One-line messages as data: tables of patterns with literal samples, and one parser class that reads them.

A file that knows messages of one source holds a table and a class with five attributes; nothing else. The
samples of a table are its tests: each must give the kind beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.marked_lines import Folded, MarkedLineParser, compiled, is_library_line, quotes_code

FEW_VALUES = 64
"""A group of more different values (a process id) does not tell what kind of fault it is."""
MAX_EVENTS = Limit(20_000, "different messages")
"""Distinct events of one source that are kept apart; further ones are only counted, by their kind."""

DETAIL_LINES = 14
"""How far below its first line a boxed message may still give details."""


class EventPattern(Struct, frozen=True):
    """One message of a source."""

    kind: str
    """``JobEvent.kind``."""
    mark: str
    """Literal text, without digits, in every line of this message: the cheap test before the pattern."""
    pattern: str
    """Searched in the line; its named groups become the event's groups."""
    samples: tuple[str, ...]
    """Lines that must match (the table's own test)."""
    secondary: bool = False
    """Follows from another process's failure."""
    harmless: bool = False
    """Says nothing about a fault, so no rule asks for it and its lines count as ignored on purpose; the reason stands
    beside the entry. The event stays in the report's facts."""


class DetailPattern(Struct, frozen=True):
    """A later line of a boxed message: it adds groups to the latest event of one of ``of``."""

    of: tuple[str, ...]
    mark: str
    pattern: str
    samples: tuple[str, ...]


class NoisePattern(Struct, frozen=True):
    """Lines of this source that say nothing about a fault."""

    mark: str
    pattern: str
    samples: tuple[str, ...]


class _Draft(Struct):
    """An event that may still get details."""

    message: EventPattern
    groups: dict[str, str]
    ref: Ref
    line: Line


def named_groups(match: re.Match[str]) -> dict[str, str]:
    """The groups of a match that took part, stripped."""
    return {name: value.strip() for name, value in match.groupdict().items() if value and value.strip()}


def as_int(text: str | None) -> int | None:
    """``12`` to 12; None for anything that is not a plain decimal number of reasonable length."""
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 18:
        return None
    return int(text)


class MessageParser(MarkedLineParser):
    """Reads the messages of one table from one stream, repeated ones folded into one event with a count."""

    origin: ClassVar[str] = ""
    messages: ClassVar[tuple[EventPattern, ...]] = ()
    details: ClassVar[tuple[DetailPattern, ...]] = ()
    noise: ClassVar[tuple[NoisePattern, ...]] = ()

    def __init_subclass__(cls) -> None:
        tables: tuple[tuple[EventPattern | DetailPattern | NoisePattern, ...], ...]
        tables = (cls.messages, cls.details, cls.noise)
        cls.knows_marks(entry.mark for table in tables for entry in table)

    def __init__(self) -> None:
        self._draft: _Draft | None = None
        self._folded: Folded[JobEvent] = Folded(MAX_EVENTS)
        self._values: dict[tuple[str, str], set[str]] = {}
        """By kind and name of a group: its first values."""
        self._more_room = int(MAX_EVENTS)

    @classmethod
    def patterns(cls) -> Iterable[tuple[str, str]]:
        tables: tuple[tuple[EventPattern | DetailPattern | NoisePattern, ...], ...]
        tables = (cls.messages, cls.details, cls.noise)
        return ((entry.mark, entry.pattern) for table in tables for entry in table)

    @staticmethod
    def is_foreign(text: str) -> bool:
        """Lines of NCCL's log, and lines that quote a message without meaning it."""
        return quotes_code(text) or is_library_line(text)

    def take(self, line: Line, text: str) -> Use:
        message = self._take_message(line, text) or self._take_detail(line, text)
        if message is not None:
            return Use.IGNORED if message.harmless else Use.USED
        noise = any(entry.mark in text and compiled(entry.pattern).search(text) for entry in self.noise)
        return Use.IGNORED if noise else Use.NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        self._commit()
        return self._folded.records()

    def _take_message(self, line: Line, text: str) -> EventPattern | None:
        for message in self.messages:
            if message.mark not in text:
                continue
            match = compiled(message.pattern).search(text)
            if match is not None:
                self._commit()
                self._draft = _Draft(message, named_groups(match), line.ref(), line)
                return message
        return None

    def _take_detail(self, line: Line, text: str) -> EventPattern | None:
        """The message to which this line adds something."""
        draft = self._draft
        if draft is None or line.no - draft.ref.line > DETAIL_LINES:
            return None
        for detail in self.details:
            if draft.message.kind not in detail.of or detail.mark not in text:
                continue
            match = compiled(detail.pattern).search(text)
            if match is not None:
                for name, value in named_groups(match).items():
                    draft.groups.setdefault(name, value)
                return draft.message
        return None

    def _commit(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        event = self.event(draft.message, draft.groups, draft.ref, draft.line)
        key = (event.kind, event.host or draft.line.place, event.rank, tuple(sorted(event.groups.items())))
        if self._folded.counts_again(key, draft.line):
            return
        for name, value in event.groups.items():
            values = self._values.setdefault((event.kind, name), set())
            if len(values) <= FEW_VALUES:
                values.add(value)
        if self._folded.has_room():
            self._folded.keep(key, event)
            return
        # Process ids and the like fill the room; a first lost GPU among them must still be seen.
        telling = tuple(pair for pair in key[3] if len(self._values[event.kind, pair[0]]) <= FEW_VALUES)
        if not self._folded.counts_again((event.kind, telling), draft.line) and self._more_room:
            self._more_room -= 1
            self._folded.keep((event.kind, telling), event)

    def event(self, message: EventPattern, groups: Mapping[str, str], ref: Ref, line: Line) -> JobEvent:
        """The event of one message; a subclass may refine it."""
        rank = as_int(groups.get("rank"))
        return JobEvent(
            kind=message.kind,
            origin=self.origin,
            text=ref.text.strip(),
            groups=dict(groups),
            ref=ref,
            host=groups.get("host") or line.host,
            rank=line.rank if rank is None else rank,
            secondary=message.secondary,
        )

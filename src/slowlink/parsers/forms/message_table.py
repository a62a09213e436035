"""One-line messages as data: tables of patterns with literal samples, and one parser class that reads them.

A file that knows messages of one source holds a table and a class with five attributes; nothing else. The
samples of a table are its tests: each must give the kind beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.patterns import regex

MAX_EVENTS = 5000
"""Distinct events of one source that are kept apart; hostile input cannot grow memory beyond this."""

MATCH_CHARACTERS = 2000
"""Messages stand at the front of a line; what follows in a very long one is not searched."""

DETAIL_LINES = 14
"""How far below its first line a boxed message may still give details."""

_CODE = regex(
    r"^\s*(?:\S{0,200}[$#%+>] +)?(?:sudo )?"
    r"(?:echo|printf|[ez]?grep|fgrep|rg|sed|awk|logger|print|if|elif|case|assert|raise|die|alias|cat|t"
    r"ail|head|less"
    r"|dmesg|journalctl|tee|//|/\*)(?=[ (])"
)
_FILTERS = ("| grep ", "| egrep ", "|grep ", "| awk ", "| sed ", "print(", "logger.")
_LIBRARY_LINE = regex(r"\b(?:NCCL|RCCL|MCCL) (?:INFO|WARN|TRACE|CALL|VERSION)\b")


@dataclass(frozen=True, slots=True)
class EventPattern:
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


@dataclass(frozen=True, slots=True)
class DetailPattern:
    """A later line of a boxed message: it adds groups to the latest event of one of ``of``."""

    of: tuple[str, ...]
    mark: str
    pattern: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoisePattern:
    """Lines of this source that say nothing about a fault."""

    mark: str
    pattern: str
    samples: tuple[str, ...]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled pattern, on first need: most are never needed, and start-up must be short."""
    return re.compile(pattern)


def quotes_code(text: str) -> bool:
    """Is this line a command, a script's source or a search for a message rather than the message itself?"""
    return _CODE.match(text) is not None or any(part in text for part in _FILTERS)


def is_library_line(text: str) -> bool:
    """Is this a line of NCCL's, RCCL's or MCCL's own log? Those have their own parser."""
    return "CCL " in text and _LIBRARY_LINE.search(text) is not None


@dataclass(slots=True)
class _Draft:
    """An event that may still get details."""

    message: EventPattern
    groups: dict[str, str]
    ref: Ref
    line: Line
    count: int = 1


@dataclass(slots=True)
class _Folded:
    event: JobEvent
    count: int = field(default=1)


def named_groups(match: re.Match[str]) -> dict[str, str]:
    """The groups of a match that took part, stripped."""
    return {name: value.strip() for name, value in match.groupdict().items() if value and value.strip()}


def as_int(text: str | None) -> int | None:
    """``12`` to 12; None for anything that is not a plain decimal number of reasonable length."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 18:
        return None
    return int(text)


class MessageParser:
    """Reads the messages of one table from one stream, repeated ones folded into one event with a count."""

    kind: ClassVar[str] = ""
    origin: ClassVar[str] = ""
    messages: ClassVar[tuple[EventPattern, ...]] = ()
    details: ClassVar[tuple[DetailPattern, ...]] = ()
    noise: ClassVar[tuple[NoisePattern, ...]] = ()
    _marks: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        marks = [entry.mark for entry in cls.messages]
        marks += [entry.mark for entry in cls.details]
        marks += [entry.mark for entry in cls.noise]
        cls._marks = tuple(dict.fromkeys(mark for mark in marks if mark))

    def __init__(self) -> None:
        self._draft: _Draft | None = None
        self._folded: dict[object, _Folded] = {}

    @classmethod
    def wants(cls, text: str) -> bool:
        """Does one of the table's marks stand in this line?"""
        return any(mark in text for mark in cls._marks)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MATCH_CHARACTERS]
        if quotes_code(text) or is_library_line(text):
            return Use.NOT_MINE
        if self._take_message(line, text) or self._take_detail(line, text):
            return Use.USED
        noise = any(entry.mark in text and compiled(entry.pattern).search(text) for entry in self.noise)
        return Use.IGNORED if noise else Use.NOT_MINE

    def finish(self) -> Iterable[JobEvent]:
        self._commit()
        return [_with_count(entry.event, entry.count) for entry in self._folded.values()]

    def _take_message(self, line: Line, text: str) -> bool:
        for message in self.messages:
            if message.mark not in text:
                continue
            match = compiled(message.pattern).search(text)
            if match is not None:
                self._commit()
                self._draft = _Draft(message, named_groups(match), line.ref(), line)
                return True
        return False

    def _take_detail(self, line: Line, text: str) -> bool:
        draft = self._draft
        if draft is None or line.no - draft.ref.line > DETAIL_LINES:
            return False
        for detail in self.details:
            if draft.message.kind not in detail.of or detail.mark not in text:
                continue
            match = compiled(detail.pattern).search(text)
            if match is not None:
                for name, value in named_groups(match).items():
                    draft.groups.setdefault(name, value)
                return True
        return False

    def _commit(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        event = self.event(draft.message, draft.groups, draft.ref, draft.line)
        key: object = (event.kind, event.host, event.rank, tuple(sorted(event.groups.items())))
        if key not in self._folded and len(self._folded) >= MAX_EVENTS:
            key = event.kind
        known = self._folded.get(key)
        if known is None:
            self._folded[key] = _Folded(event)
        else:
            known.count += 1

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


def _with_count(event: JobEvent, count: int) -> JobEvent:
    if count == 1:
        return event
    return JobEvent(
        event.kind,
        event.origin,
        event.text,
        event.groups,
        event.ref,
        event.host,
        event.rank,
        event.secondary,
        count,
    )

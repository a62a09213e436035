"""Lines that a table knows by a mark: what tables of messages, of observations and of readings share.

An entry of a table names a *mark*, literal text that stands in every line it means, and a pattern that takes the line
apart. The mark is the cheap test: a line without any mark of the table costs a few substring searches and no more.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from functools import cache
from typing import ClassVar, Generic, TypeVar

from msgspec.structs import replace

from slowlink.model.job import JobEvent, Observation
from slowlink.model.source import Line
from slowlink.parsers.forms.gates import is_blind
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.rows import NOT_MINE, Row
from slowlink.patterns import regex

MATCH_CHARACTERS = 2000
"""Messages stand at the front of a line. What follows in a longer one is searched apart, so much at a time."""
_OVERLAP = 400
"""Characters that two searched parts of a line share: what one of them cuts stands in the other as a whole."""

_CODE = regex(
    r"^\s*(?:\S{0,200}[$#%+>] +)?(?:sudo )?"
    r"(?:echo|printf|[ez]?grep|fgrep|rg|sed|awk|logger|print|if|elif|case|assert|raise|alias|cat|tail|head|less"
    r"|die(?= ?[\"'(])|dmesg|journalctl|tee|//|/\*)(?=[ (])"
    r"|^\s*(?:exit|return) -?\d{1,3};?\s*$"
)
_FILTERS = (
    "| grep ",
    "| egrep ",
    "|grep ",
    "| awk ",
    "| sed ",
    "print(",
    "logger.info(",
    "logger.debug(",
    "logger.warn",
    "logger.error(",
    "logger.ex",
)
_LIBRARY_LINE = regex(r"\b(?:NCCL|RCCL|MCCL) (?:INFO|WARN|TRACE|CALL|VERSION)\b")


def parts_behind_front(text: str) -> Iterator[str]:
    """What is searched apart of an overlong line, behind its front. A part begins with a sign for what stands before
    it, so that no pattern takes its first word for the first of a line."""
    begin = MATCH_CHARACTERS - _OVERLAP
    while begin + _OVERLAP < len(text):
        yield f"\N{HORIZONTAL ELLIPSIS}{text[begin : begin + MATCH_CHARACTERS - 1]}"
        begin += MATCH_CHARACTERS - _OVERLAP - 1


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


class MarkedLineParser:
    """A line parser over a table. A subclass gives the marks and says in ``take`` what an entry's line becomes."""

    kind: ClassVar[str] = ""
    lone: ClassVar[bool] = True
    searches: ClassVar[bool] = True
    """Are its patterns searched in the whole line? Then it is shown an overlong one in parts."""
    marks: ClassVar[tuple[str, ...]] = ()
    """Marks of all entries, each once."""
    literals: ClassVar[Literals | None] = None
    _marks: ClassVar[Literals] = Literals(())

    @classmethod
    def knows_marks(cls, marks: Iterable[str]) -> None:
        """Sets ``marks``. An entry with the mark "" is tried on lines that another entry's mark brings."""
        cls.marks = tuple(dict.fromkeys(mark for mark in marks if mark))
        cls._marks = Literals(cls.marks)
        if "wants" not in vars(cls):  # else it may want more
            cls.literals = cls._marks

    @classmethod
    def wants(cls, text: str) -> bool:
        """Does one of the table's marks stand in this line?"""
        return cls._marks.in_(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text[:MATCH_CHARACTERS]
        return Use.NOT_MINE if self.is_foreign(text) else self.take(line, text)

    @classmethod
    def patterns(cls) -> Iterable[tuple[str, str]]:
        """Mark and pattern of every entry; nothing is done with a line that none of them is found in."""
        return (("", ""),)

    @classmethod
    def row(cls, text: str) -> Row | None:
        """Lines with a mark and nothing behind it are not ours, whatever their digits."""
        front = text[:MATCH_CHARACTERS]
        found = (pattern for mark, pattern in cls.patterns() if mark in front)
        return None if any(not is_blind(each) or compiled(each).search(front) for each in found) else NOT_MINE

    is_foreign = staticmethod(is_library_line)
    """Must no entry be tried on this line, whatever stands in it?"""

    def take(self, line: Line, text: str) -> Use:
        """Try the entries on ``text``, the part of the line that is searched."""
        raise NotImplementedError


Countable = TypeVar("Countable", JobEvent, Observation)


class Folded(Generic[Countable]):
    """Records of which equal ones are kept once, the first, with how often they came."""

    def __init__(self, most: Limit) -> None:
        """``most``: of distinct records; hostile input must not grow memory for ever."""
        self._most = most
        self._first: dict[Hashable, Countable] = {}
        self._counts: dict[Hashable, int] = {}
        self._last: dict[Hashable, int] = {}
        """The line of the last that was found in an overlong one."""

    def has_room(self) -> bool:
        """May one more distinct record be kept? Ask when there is one: a no is reported."""
        return self._most.has_room(len(self._counts))

    def counts_again(self, key: Hashable, line: Line) -> bool:
        """Counts one more record under ``key`` where there is one; False, and nothing done, where there is none. What
        is found twice in one overlong ``line`` may stand where two of its parts overlap, and counts once."""
        known = self._counts.get(key)
        if known is None:
            return False
        if line.part:
            again = line.no in (self._last.get(key), self._first[key].ref.line)
            self._last[key] = line.no
            if again:
                return True
        self._counts[key] = known + 1
        return True

    def keep(self, key: Hashable, record: Countable) -> None:
        """The first record under ``key``."""
        self._first[key], self._counts[key] = record, 1

    def records(self) -> list[Countable]:
        """One of each, in order of the first."""
        counts = self._counts
        return [replace(one, count=counts[key]) if counts[key] > 1 else one for key, one in self._first.items()]

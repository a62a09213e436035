"""Errors and warnings of the programs whose vocabulary the catalogue holds (``catalog/vocabulary/``).

Asked last: a line that any other parser reads stays that parser's. A message that the vocabulary knows becomes an event
of its kind; an error in a known program's form that it does not know becomes ``program-error``, with its text::

    [1763820000.123456] [node07:4711:0]     ib_device.c:1040 UCX  ERROR ibv_open_device(mlx5_3) failed: No such device
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import ClassVar

from msgspec import Struct

from slowlink.catalog.vocabulary import Meaning, Message, vocabulary
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.forms.literals import Choice, Literals
from slowlink.parsers.forms.marked_lines import MATCH_CHARACTERS, Folded, compiled, is_library_line, quotes_code
from slowlink.parsers.forms.message_table import MAX_EVENTS, as_int, named_groups
from slowlink.parsers.forms.own_level import is_milder
from slowlink.parsers.forms.program_form import ProgramLines
from slowlink.parsers.forms.program_lines import EXCEPTIONS, HINTS, PROGRAM_LINES, UNPREFIXED, may_complain

_PROGRAMS_OWN = frozenset(
    {
        *("job-configuration-wrong", "application-error", "library-missing", "rank-start-failed"),
        *("gpus-over-requested", "not-enough-slots"),
    }
)
"""Causes that end the program that names them: where it only warns, it goes on."""
_SEVERITY_WORD = {"warn": "warning", "warning": "warning", "w": "warning"}


class _Said(Struct, frozen=True):
    """A line in a program's form."""

    form: ProgramLines
    groups: dict[str, str]

    @property
    def level(self) -> str:
        """How bad the program calls it: ``error``, ``warning``, or "" where it does not say."""
        level = self.groups.get("level", "").lower()
        if level not in self.form.severe:
            return _SEVERITY_WORD.get(level, "")
        inner = self.groups.get("inner", "")
        said = f"[{inner}] {self.groups['text']}" if inner else self.groups["text"]
        return "" if is_milder(said) else "error"  # passed on: it says of itself how bad it is


class _Judged(Struct, frozen=True):
    """What a line is by its text alone."""

    known: tuple[Meaning, dict[str, str]] | None
    """What it means, and the values in it."""
    said: _Said | None
    """The form in which it says so; of a line without a meaning that of an error."""
    use: Use
    """Of a line that is neither."""


_FORMS = Choice([Literals(form.marks) for form in PROGRAM_LINES])
_TO_THE_SECOND = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]{8,15}")
_ANY_STAMP = "2031-04-05T06:07:08.123"
_MOST_JUDGED = 1 << 11
"""Texts of which the judgement is remembered. A log says few things many times, and most of them soon again."""


class ProgramMessages:
    """Reads what no other parser does, by vocabularies."""

    kind: ClassVar[str] = "program-messages"
    digits_alike: ClassVar[bool] = True
    lone: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        dict.fromkeys((*HINTS, *(form_of(mark).decode() for form in PROGRAM_LINES for mark in form.marks)))
    )
    searches: ClassVar[bool] = True
    last_resort: ClassVar[bool] = True
    """Gets only lines that nobody else used."""

    def __init__(self) -> None:
        self._folded: Folded[JobEvent] = Folded(MAX_EVENTS)

    @staticmethod
    def wants(text: str) -> bool:
        """Is it in a program's form, or may it be a complaint that some vocabulary knows?"""
        if _FORMS.of(text).numbers:
            return True
        message = Message(text) if may_complain(text) else None
        return message is not None and any(vocabulary(name).may_know(message) for name in UNPREFIXED)

    @staticmethod
    def knows_numbers(text: str) -> bool:
        """``text`` has noughts for its digits."""
        names = {name for said in _said(text, stamped=True) for name in (said.form.program, *said.form.also)}
        return any(vocabulary(name).knows_number(text.lower()) for name in (*names, *UNPREFIXED))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not self._folded.has_room():
            return Use.NOT_MINE  # there is no room for what it would say
        judged = _judged(line.text[:MATCH_CHARACTERS], _TO_THE_SECOND.fullmatch(line.stamp or "") is not None)
        if judged.known is not None:
            return self._known(*judged.known, judged.said, line)
        if judged.said is not None:
            return self._unknown(judged.said, line)
        return judged.use

    def finish(self) -> Iterable[JobEvent]:
        return self._folded.records()

    def _known(self, meaning: Meaning, values: dict[str, str], said: _Said | None, line: Line) -> Use:
        if meaning.sort == "harmless":
            return Use.IGNORED
        around = {name: value for name, value in said.groups.items() if name != "text"} if said is not None else {}
        groups = {**around, **values}
        if said is not None and said.form.shape:
            groups["form"] = said.form.shape
        level = said.level if said is not None else ""
        if level == "error" and _goes_on(meaning):
            level = "warning"  # whatever the program calls it: such a line ends no run
        echo = meaning.secondary or (said is not None and _of_some_job(meaning, said.form))
        self._keep(meaning.kind, meaning.program, groups, line, echo, level)
        return Use.USED

    def _unknown(self, said: _Said, line: Line) -> Use:
        groups = {**said.groups, "text": said.groups["text"][:200]}
        self._keep(said.form.unknown, said.form.program, groups, line, secondary=False, level=said.level)
        return Use.USED

    def _keep(self, kind: str, origin: str, groups: dict[str, str], line: Line, secondary: bool, level: str) -> None:
        host = groups.get("host") or line.host
        rank = as_int(groups.get("rank"))
        rank = line.rank if rank is None else rank
        telling = tuple(sorted((name, value) for name, value in groups.items() if name != "pid"))
        key = (kind, origin, host, rank, telling)
        if self._folded.counts_again(key, line) or not self._folded.has_room():
            return
        ref = line.ref()
        event = JobEvent(kind, origin, ref.text.strip(), groups, ref, host, rank, secondary, level=level)
        self._folded.keep(key, event)


@lru_cache(_MOST_JUDGED)
def _judged(text: str, stamped: bool) -> _Judged:
    """``stamped``: was a time like those of Slurm's daemons taken off its front?"""
    if is_library_line(text) or quotes_code(text):
        return _Judged(None, None, Use.NOT_MINE)
    unknown: _Said | None = None
    ways = tuple(_said(text, stamped))
    for said in ways:
        known = _meant((said.form.program, *said.form.also), said.groups["text"], said)
        if known is not None:
            return _Judged(known, said, Use.USED)
        if unknown is None and said.level == "error" and said.form.unknown:
            unknown = said
    if all(said.form.also for said in ways) and may_complain(text):  # a form that many share may be one more's, too
        known = _meant(UNPREFIXED, text)
        if known is not None:
            return _Judged(known, None, Use.USED)
    return _Judged(None, unknown, Use.IGNORED if any(said.form.chatty for said in ways) else Use.NOT_MINE)


def meaning_in(text: str) -> Meaning | None:
    """What a line in some program's form means, harmless or not; None where no document knows it."""
    ways = (_meant((said.form.program, *said.form.also), said.groups["text"], said) for said in _said(text))
    return next((known[0] for known in ways if known is not None), None)


def _goes_on(meaning: Meaning) -> bool:
    """Does a program that prints this go on, in another way?"""
    return meaning.sort == "fact" or (bool(meaning.cause) and meaning.severity in ("info", "warning"))


def _of_some_job(meaning: Meaning, form: ProgramLines) -> bool:
    """Is it a cause that a service names, which serves more jobs than this one?"""
    return form.service and meaning.sort == "cause" and meaning.kind not in form.keeps


def _said(text: str, stamped: bool = False) -> Iterator[_Said]:
    """Every form that the line has, the most special first. ``stamped``: had it a time at its front?"""
    for form in map(PROGRAM_LINES.__getitem__, _FORMS.of(text).numbers):
        whole = f"[{_ANY_STAMP}] {text}" if stamped and form.stamped else text
        match = compiled(form.pattern).search(whole)
        if match is not None:
            groups = named_groups(match)
            yield _Said(form, {**groups, "text": groups.get("text", "")})


def _meant(names: Iterable[str], message: str, said: _Said | None = None) -> tuple[Meaning, dict[str, str]] | None:
    """What the first of these programs that knows ``message`` means by it; what is broad only where no other does."""
    broad: tuple[Meaning, dict[str, str]] | None = None
    words = Message(message)
    for name in names:
        known = vocabulary(name).find(words)
        if known is None or (said is not None and not _fits(known[0], said)):
            continue
        if not known[0].broad:
            return known
        broad = broad or known
    return broad


def _fits(meaning: Meaning, said: _Said) -> bool:
    """May a line of this form mean that? An exception is no notice, and a warning is no reason to end."""
    if said.form.shape:
        return meaning.sort in ("cause", "symptom") or meaning.program not in EXCEPTIONS
    if meaning.cause not in _PROGRAMS_OWN or meaning.severity != "critical":
        return True
    return said.level != "warning" and meaning.cause != "job-configuration-wrong"


PARSER = ProgramMessages

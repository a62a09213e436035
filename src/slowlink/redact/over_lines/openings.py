"""What earlier lines have opened, whose it is, and which line goes on with it.

Every reader of more than one line is given its lines here, without what stands before each (``leads``): so no reader
knows any lead, and a new one works behind all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from slowlink.redact.over_lines.leads import Lead, end_of_lead, leads_before, may_begin, may_have_lead, split_lead
from slowlink.redact.over_lines.left import Left

MOST_LINES = 60
"""So far a value is followed: what opens one by mistake must not swallow a log."""
MOST_LINES_IN_QUOTES = 12
"""A quote that is never closed is more often a line that was cut."""
_ENDLESS = 1 << 30
_LINES = {"dump": _ENDLESS, "column": _ENDLESS, "data": _ENDLESS, "base64": _ENDLESS, "here": MOST_LINES_IN_QUOTES}
_LINES |= {"default": MOST_LINES_IN_QUOTES, "pair": 6, "mapping": 12, "markup value": 2, "markup text": 2, "send": 3}
_LINES |= {"netrc": 2, "netrc value": 1, "answer": 2, "column behind": _ENDLESS, "announced": 3}
_LINES |= {
    "bootstrap": 6,
    "initial": 4,
    "reset": 4,
    "printed": 2,
    "superusers": 12,
    "form part": 6,
    "form value": 1,
    "traced": 12,
}
_MOST_OPEN = 64
_MOST_PASSED = 256
"""So many ranks may have something open at a time, and so many lines of others may stand between two of one."""

GoesOn = Callable[[str, Left], tuple[str, Left]]
"""The words of a line without what was announced, and what is open after them."""


class Open(NamedTuple):
    """What is open in the lines of one writer."""

    left: Left
    lines: int
    """How many more lines it may take."""
    leads: tuple[Lead, ...]
    """How its lines may begin; one, as soon as a second line has shown which."""
    record: str = ""
    """Whose records these lines stand in, where each is the string of one."""
    passed: int = 0
    """Lines of others since the last of its own."""


AllOpen = tuple[Open, ...]


class _Mine(NamedTuple):
    """The one that a line goes on with, its place among all, and how its lead was read."""

    at: int
    state: Open
    lead: Lead
    end: int


class Openings:
    """Hands each line to the readers that have something open in it."""

    def __init__(self, *readers: Mapping[str, GoesOn]) -> None:
        """``readers``: in this order they read a line; each way of theirs is open once for a writer."""
        self._ways = {way: goes_on for reader in readers for way, goes_on in reader.items()}
        self._reader_of = {way: number for number, reader in enumerate(readers) for way in reader}

    def line(self, text: str, opened: AllOpen, record: str = "") -> tuple[str, AllOpen]:
        """``text`` without what goes on from the lines before, and what goes on after it all the same. ``record``:
        whose record it stood in."""
        if not opened:
            return text, opened
        kept = [Open(left, lines, leads, of, passed + 1) for left, lines, leads, of, passed in opened]
        for _, mine in sorted(self._mine(text, opened, record).items()):
            words, kept[mine.at] = self._gone_on(text[mine.end :], mine)
            text = text[: mine.end] + words
        return text, tuple([state for state in kept if state.leads and state.passed < _MOST_PASSED])

    def _mine(self, text: str, opened: AllOpen, record: str) -> dict[int, _Mine]:
        """What goes on in this line, for each reader: by the longest lead. What a line without a lead opened goes on in
        all lines, but for those that may have a lead where it may have had one."""
        found: dict[int, _Mine] = {}
        somebodys: bool | None = None
        for at, state in enumerate(opened):
            if state.record != record:
                continue
            for lead in state.leads:
                if lead.form:
                    first = lead.form[0]
                    if first.__class__ is str and not text.startswith(first):
                        continue  # nearly every line: all that is open is looked at for each
                    end = end_of_lead(lead.form, text)
                else:
                    somebodys = may_have_lead(text) if somebodys is None else somebodys
                    end = -1 if somebodys and len(state.leads) > 1 else 0
                if end < 0:
                    continue
                reader = self._reader_of[state.left.way]
                if reader not in found or end > found[reader].end:
                    found[reader] = _Mine(at, state, lead, end)
                    break
        return found

    def _gone_on(self, words: str, mine: _Mine) -> tuple[str, Open]:
        """The words of a line that goes on; no leads are left where it was the last."""
        _, state, lead, _ = mine
        words, left = self._ways[state.left.way](words, state.left._replace(indent=lead.indent))
        lines = state.lines - 1
        if left.way and lines > 0:
            return words, Open(left, lines, (lead._replace(indent=left.indent),), state.record)
        others = () if lead.form else tuple(other for other in state.leads if other.form)
        return words, state._replace(leads=others, passed=state.passed + 1)

    def after(self, text: str, opened: AllOpen, lefts: Iterable[Left], record: str = "") -> AllOpen:
        """What is open after a line that left ``lefts`` open by its own words."""
        for left in lefts:
            if not left.way:
                continue
            if left.way == "quote" and len(left.quote) == 1 and (record or split_lead(text)[0]):
                continue  # where each line is a record of a log, an open quote is a line that was cut
            leads = leads_before(text, left.at, plain=left.plain)
            if left.or_at:
                places = dict.fromkeys((left.at, left.or_at))
                leads = tuple(lead for at in places for lead in leads_before(text, at, plain=False)[:1])
            if left.way == "quote" and len(left.quote) == 1:
                leads = leads[-1:]
            state = Open(left._replace(at=0, or_at=0, indent=0), _lines_of(left), leads, record)
            reader = self._reader_of[left.way]  # what this writer's reader had open, ``left`` takes the place of
            kept = [other for other in opened if other.passed or self._reader_of[other.left.way] != reader]
            opened = (*kept, state)
        return opened[-_MOST_OPEN:]


def passed_by(text: str, opened: AllOpen) -> AllOpen | None:
    """What is open after a line with the leads of none of these; None where one may go on in it."""
    for state in opened:
        for lead in state.leads:
            if may_begin(lead.form, text) and end_of_lead(lead.form, text) >= 0:
                return None
    passed = [Open(left, lines, leads, record, passed + 1) for left, lines, leads, record, passed in opened]
    return tuple([state for state in passed if state.leads and state.passed < _MOST_PASSED])


def _lines_of(left: Left) -> int:
    return _LINES.get(left.way, MOST_LINES_IN_QUOTES if len(left.quote) == 1 else MOST_LINES)

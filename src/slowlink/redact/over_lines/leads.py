"""What stands before each line of a program or a file: its rank, its pod, a stamp, a logger's words, a line number, a
sign of a diff.

No list of them would be complete. So a lead is whatever stands before an entry that opens something, and is repeated
before the lines in which it goes on. Times and line numbers differ between lines; other numbers (ranks, pods,
processes, hosts) say whose line it is. A few leads are known by their form: behind these a line is read on its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_DAY = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
_STAMP = rf"{_TIME}(?: std(?:out|err) [FP])?|{_DAY}"
_TAG = r"\[\d{1,6},\d{1,6}\]<\w{1,10}>:|\d{1,6}:|\[pod/[\w./-]{1,200}\]|\([\w.-]{1,60} pid=\d{1,9}[^()]{0,80}\)"
_SERVICE = r"\w[\w.-]{0,63} {1,20}\| ?"
_CELL = regex(r"(?P<name>[\w.-]{1,64}) {1,20}\| ?$")
"""Of Compose, or of a table: nobody calls a service after a secret."""
_ASKED = r"(?![\w.@/-]{0,60}(?i:password|passphrase|passcode|key|secret|token):)"
"""No program is called so (``Enter password: x``)."""
_JOURNAL = rf"(?: [\w.-]{{1,64}} {_ASKED}[\w.@/-]{{1,64}}(?:\[\d{{1,9}}\])?:)?"
_ONE = rf"(?:(?:{_TAG}|(?:{_STAMP}){_JOURNAL}) ?)"
_KNOWN = regex(rf"{_SERVICE}{_ONE}{{0,2}}|{_ONE}{{1,3}}")
"""Open MPI's ``--tag-output``, ``srun --label``, ``kubectl logs --timestamps`` and ``--prefix``, the journal, the files
of container runtimes, Ray, Compose."""
_HOST = regex(r"[\w.-]{1,64}:(?=\s)")
"""What clush and pdsh put there. It looks like a key of YAML, so it is one of several readings."""
_OPENING = " \t\"'\\{([,"
"""Belongs to the entry behind it, and not to the lead."""
_COMMAND = regex(r"(?<!\S)(?:\+{1,9} {1,4}(?:(?:export|readonly|(?:declare|typeset) -x) {1,4})?|export {1,4})$")
"""What a shell puts before the first line of a command, and before no other."""
_LONGEST = 300
_LONGEST_LOOKED_AT = 1000
"""Each name on a line asks what stands before it: without an end to that a long line costs the square of its length."""
_ENDS = regex(
    r"(?:[:\]>|#+)}%\u2502\u2503\u258f\u2595\u00bb\u203a-]|//|[\w@.-]{1,64}\.(?:service|scope)"
    r"|^\s{0,12}\d[\d.:T,Z+-]{7,40}\s{1,4}[\w.-]{1,64}|^\s{0,12}\d{1,9}|\b(?:std(?:out|err) [FP]))$"
)
"""How leads end; so does hardly any sentence."""
_VARIES = regex(
    rf"(?P<time>{_TIME}|{_DAY}|\b\d{{1,4}}[/-]\d{{1,2}}[/-]\d{{1,4}}\b|\b\d{{1,2}}:\d\d(?::\d\d)?(?:[.,]\d{{1,9}})?\b)"
    r"|(?P<part>(?<=stdout )[FP]\b|(?<=stderr )[FP]\b)"
    r"|(?P<number>(?<![\d.])\d{1,12}\.\d{1,9}(?![\d.])|\d{9,20}"
    r"|(?<=[\w)>\]]:)\d{1,9}(?=[\s\])|]|$)|^[ \t]{0,12}\d{1,9}(?=[ \t]|$))"
    r"|(?P<line>(?<=[\w)/])[:-]\d{1,9}[:-]$)"
    r"|(?P<blanks>[ \t]{1,40})"
)
_NUMBERS = regex(r"\d{1,20}")
_ANY_NUMBER, _BLANKS, _PADDING = regex(r"\d{1,20}"), regex(r"[ \t]{1,40}"), regex(r"[ \t]{0,12}")
_PART, _NO_WORD = regex(r"[FP]"), regex(r"(?!\w)")
_LINE_OF_GREP = regex(r"[:-]\d{1,9}[:-]")
"""What grep puts before the lines around the one that it found, too."""
Form = tuple[str | re.Pattern[str], ...]
"""Texts, and patterns of what varies between them."""


class Lead(NamedTuple):
    """One reading of what stands before an entry."""

    form: Form
    """Empty where the entry begins its line."""
    indent: int
    """How deep the entry stands behind it."""


def split_lead(text: str) -> tuple[str, str]:
    """A lead of a known form, and the words of the program."""
    match = _KNOWN.match(text)
    if match is None:
        return "", text
    cell = _CELL.search(match[0])
    end = cell.start() if cell is not None and is_secret_name(cell["name"]) else match.end()
    return text[:end], text[end:]


def leads_before(text: str, at: int, *, plain: bool = True) -> tuple[Lead, ...]:
    """Each reading of what stands before the entry that begins at ``at``, the longest first. The lines to come tell
    which one is right: they repeat it. ``plain``: it may be none at all."""
    ends: set[int] = set()
    before = text[:at].rstrip(_OPENING)
    if len(before) <= _LONGEST and before:
        # The dash may be a logger's (``INFO - name: x``), a diff's, or that of an item of a list.
        ends |= {len(before), len(before.rstrip("- \t"))} if before.endswith("-") else {len(before)}
    command = _COMMAND.search(text, max(0, at - _LONGEST), at)
    if command is not None and 0 < command.start() <= _LONGEST:
        ends.add(len(text[: command.start()].rstrip()))
    known = split_lead(text[:at])[0].rstrip()
    host = _HOST.match(text, 0, at)
    ends |= {len(known)} if known else {host.end()} if host is not None else set()
    if known or not (plain or not before.strip("- \t")):
        ends.discard(0)
    else:
        ends.add(0)
    return tuple(Lead(form_of(text[:end]), indent_of(text[end:])) for end in sorted(ends, reverse=True))


def looks_like_lead(text: str, end: int) -> bool:
    """May what stands before ``end`` stand before an entry? A sentence may not, and nothing very long."""
    if end > _LONGEST_LOOKED_AT:
        return False
    bare = text[:end].rstrip()
    return not bare or _ENDS.search(bare) is not None or split_lead(bare)[0] == bare


@lru_cache(maxsize=4096)
def form_of(lead: str) -> Form:
    """The form of a lead: as it stands, with any number for a time or the number of a line."""
    out: list[str | re.Pattern[str]] = []
    at = 0
    for varies in _VARIES.finditer(lead):
        out += [lead[at : varies.start()], *_parts(varies)]
        at = varies.end()
    out += [lead[at:], *([_NO_WORD] if lead[-1:].isalnum() else [])]
    return tuple(part for part in out if part != "")


def _parts(varies: re.Match[str]) -> list[str | re.Pattern[str]]:
    if varies["part"]:
        return [_PART]
    if varies["line"]:
        return [_LINE_OF_GREP]
    if varies["blanks"]:
        return [_BLANKS]
    words = _NUMBERS.split(varies[0].strip(" \t"))
    numbers: list[str | re.Pattern[str]] = [part for word in words for part in (word, _ANY_NUMBER)][:-1]
    return [_PADDING, *numbers] if varies.start() == 0 and not varies["time"] else numbers


def end_of_lead(form: Form, text: str) -> int:
    """Where the words begin in a line that repeats a lead of this form; -1 when it does not."""
    at = 0
    for part in form:
        if isinstance(part, str):
            if not text.startswith(part, at):
                return -1
            at += len(part)
        elif (match := part.match(text, at)) is not None:
            at = match.end()
        else:
            return -1
    return at


def may_begin(form: Form, text: str) -> bool:
    """May ``text`` repeat a lead of this form, as far as its first part says?"""
    first = form[0] if form else ""
    return first.__class__ is not str or text.startswith(first)


def may_have_lead(text: str) -> bool:
    """Does a line begin as if it were somebody's?"""
    return _KNOWN.match(text) is not None or _HOST.match(text) is not None


def indent_of(text: str) -> int:
    """How many blanks stand before an entry, the dash of a list among them."""
    return len(text) - len(text.lstrip(" \t-"))

"""Reads one line as a complaint: which part, in what state, which one; or says that it is none.

A state counts where it is said of a part nearby, is not denied (``no``, ``0``, ``: 0``), and is no condition, plan or
repair. Of several readings the one inside a single clause, of the most special part, wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from slowlink.catalog.complaints import Part, parts, states
from slowlink.parsers.complaints.amounts import Said, may_compare, shortfalls
from slowlink.parsers.complaints.plans import is_about_other_things, is_condition, is_future, without_wishes
from slowlink.parsers.complaints.which import name_in
from slowlink.parsers.complaints.wonders import is_guess, without_questions
from slowlink.patterns import regex

MOST_CHARACTERS = 400
_FAR_BEFORE, _FAR_BEHIND = 60, 30
"""How far the part may stand before its state, and behind it."""
_DENIED = regex(
    r"(?:\b(?:no|not|nothing|nobody|never|none|without|isn.t|aren.t|wasn.t|weren.t|doesn.t|hasn.t|neither|nor"
    r"|cannot|zero)"
    r"|(?:^|[,;:(=|\]]\s*|\b(?:has|have|had|with|found|and|shows?|are|were|there|total|got) )0(?:/\d{1,6})?)"
    r"(?: [\w/-]+){0,3} ?$|\b(?:not a single|none of|no single)(?: [\w/-]+){0,6} ?$"
)
_NOTHING = regex(
    r"(?:[ _-]?(?:count|counts|counter|events?|total|checks?|tests?|nodes?|gpus?|links?|ports?"
    r"|devices?))?\"?'?\s{0,60}"
    r"(?:[:=|]\s{0,60}|\s(?=0\b)|\s(?=no(?:[,;.)\]]|\s*$)))[\"']?(?:0(?:x0+)?(?![.\d])|no|none|false|n/?a|ok|pass(?:ed)?|never|unknown"
    r"|good|-+)(?![a-z])"
)
"""Behind a state: the value says that it does not hold."""
_CHOICE = regex(
    r"(?:^|[ (\[])(?:(?:up|on|active|enabled?|ok|pass(?:ed)?|good|healthy)/\w{2,12}"
    r"|\w{2,12}/(?:up|on|active|enabled?|ok|pass(?:ed)?|good|healthy))"
    r"(?:[)\]]| (?:events?|states?|status|changes?|transitions?|notifications?|messages?)\b)"
)
"""Two states of which either may hold: the name of a column, or of what may happen."""
_SENTENCE = regex(r"[.;!] ")
_CLAUSE = regex(
    r", (?!got|found|but|has|have|only|must|reset|needs)|[;|]| and (?!(?:gpu|port|node|link|hca|switch|\d))"
    r"| but (?!should|only|found|must)"
)
_NAME = regex(r"[\w.]*[_.][\w.]*")
_GLUE = regex(r"_|\.[a-z_]")
_NUMBERS = regex(r"\d+(?:\.\d+)?")
SOURCE_PLACE = regex(
    r"(?<![\w/])[\w./+-]{1,120}\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|py|go|rs|js|ts|java|sh)"
    r"(?::\d{1,6}(?::\d{1,5})?|\(\d{1,6}\))"
)
"""A place in a program's source: the name of its file says nothing of a part."""
_DIGITS = regex(
    r"(?<![0-9a-z])(?:0x[0-9a-f]{2,}|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}"
    r"(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?)(?![0-9a-z])"
)
"""A sum, a key, an address, a UUID: what its digits spell (``dbe``, ``bad``, ``dead``) is no word."""
_NAMES = regex(
    r"<test(?:case|suite)\b[^>]{0,400}>?"
    r"|(?<![\w-])(?:[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,6}, ){7}[a-z0-9, -]{0,400}"
)
"""Names of tests in JUnit's form, and long lists of names: what there is to look for, and not what was found."""
_LEVEL = regex(r"\b(?:error|err|fail(?:ed|ure)?|fatal|crit(?:ical)?|warn(?:ing)?|alert|alarm)\b")
_RECORD = regex(
    r"\b(?:logs?|outputs?|files?|dumps?|traces?|reports?|messages?|results?|screenshots?|stdout|stderr|history|numbers?)"
    r" (?:of|from|for|on) (?:the |my |our |its )?$"
)
"""Before a part: what is said is said of a record of it (``logs of gpu-4 are gone``)."""
_COUNTED = regex(r"\b[1-9]\d{0,8} (?:[a-z]{1,16} )?$")


class Complaint(NamedTuple):
    """What one line complains of."""

    cause: str
    part: str
    state: str
    which: str
    guessed: bool = False
    """Somebody only guesses that it is so."""


class _Match(NamedTuple):
    rank: tuple[int, int, int]
    """Clauses crossed, how special the part is, distance: the least wins."""
    part: Part
    said: Said


def read_complaint(text: str) -> Complaint | None:
    """The complaint in one line; None where it has none."""
    whole = text[:MOST_CHARACTERS].lower()
    lowered = without_questions(_NAMES.sub(_blank, _DIGITS.sub(_blank, SOURCE_PLACE.sub(_blank, whole))))
    if is_about_other_things(lowered):
        return None
    found = [match for said in _states(lowered) for match in _matches(lowered, said)]
    if not found:
        return None
    best = min(found, key=lambda match: match.rank)
    name = name_in(text[:MOST_CHARACTERS])
    guessed = is_guess(_sentence_at(lowered, best.said))
    return Complaint(best.part.means[best.said.state], best.part.name, best.said.state, name, guessed)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def may_complain(text: str) -> bool:
    """Does a line hold a state at all? The same for all lines that differ in numbers alone."""
    lowered = _NUMBERS.sub("1", text[:MOST_CHARACTERS].lower())
    return may_compare(lowered) or any(words.search(lowered) for words in states().values())


def _sentence_at(text: str, said: Said) -> str:
    """The sentence up to the end of a state."""
    return _SENTENCE.split(text[: said.end])[-1]


def _states(text: str) -> list[Said]:
    """Every state that is said to hold. Words inside longer ones (``disabled`` of ``not disabled``) do not count."""
    news = without_wishes(text)
    found = [Said(name, *match.span()) for name, words in states().items() for match in words.finditer(news)]
    found += shortfalls(text)
    whole = [one for one in found if not any(_inside(one, other) for other in found)]
    return [said for said in whole if not _glued(text, said) and _holds(text, said)]


def _inside(one: Said, other: Said) -> bool:
    return other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start


def _glued(text: str, said: Said) -> bool:
    """Is the word a piece of a name (``retired_pages.count``)?"""
    return bool(_GLUE.match(text, said.end)) or (said.start > 0 and text[said.start - 1] in "_")


def _holds(text: str, said: Said) -> bool:
    """Is the state neither denied nor a condition?"""
    before = _SENTENCE.split(text[: said.start])[-1]
    behind = text[said.end : said.end + 60]
    if is_condition(before) or is_future(behind) or _NOTHING.match(behind):
        return False
    if any(choice.start() <= said.start < choice.end() for choice in _CHOICE.finditer(text)):
        return False
    return _DENIED.search(before[-60:]) is None


def _matches(text: str, said: Said) -> Iterator[_Match]:
    """The parts nearby to which this state means something."""
    for index, part in enumerate(parts()):
        if said.state not in part.means:
            continue
        if (part.needs and not part.needs.search(text)) or (part.unless and part.unless.search(text)):
            continue
        for match in part.words.finditer(text):
            between = _between(text, match.start(), match.end(), said)
            if match.end() <= said.start and _RECORD.search(text[: match.start()][-60:]) is not None:
                continue
            if between is None or _SENTENCE.search(between) or _is_identifier(text, match.start(), said):
                continue
            if match.start() >= said.end and said.state != "low" and not _is_told(text, said):
                continue
            yield _Match((len(_CLAUSE.findall(between)), index, len(between)), part, said)


def _is_identifier(text: str, start: int, said: Said) -> bool:
    """Do part and state stand in one name (``ecc_pending``, ``fabric.health.route_unhealthy``)?"""
    whole = text[min(start, said.start) : max(start, said.start)]
    return bool(whole) and _NAME.fullmatch(whole) is not None


def _between(text: str, start: int, end: int, said: Said) -> str | None:
    """What stands between a part and a state; None where they are too far apart."""
    if end <= said.start:
        return text[end : said.start] if said.start - end <= _FAR_BEFORE else None
    if start >= said.end:
        return text[said.end : start] if start - said.end <= _FAR_BEHIND else None
    return ""


def _is_told(text: str, said: Said) -> bool:
    """A state before its part (``failed disks``) is a heading as often as news: a level, a count or a name tells."""
    before = text[: said.start]
    named = name_in(text) != ""
    return named or _LEVEL.search(before) is not None or _COUNTED.search(before) is not None

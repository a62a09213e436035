"""Searches that print nothing where the thing is not there: which thing, and how its absence shows.

``lsmod | grep nvidia_peermem``, ``grep -w mm_kobj /proc/kallsyms; echo rc=$?``. A search that may be silent for another
reason is none: grep that inverts its meaning or hides that a file is missing, or whose words are not all known here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from slowlink.model.state import Part
from slowlink.parsers.forms.make_reading import NODE
from slowlink.patterns import regex

_LEAD = regex(r"(?:.{0,160}[#$%>❯]|\s{0,8}\+{1,8}) {1,4}|\s{0,8}")
"""A prompt, the mark of a shell's trace, or nothing before a command that was pasted bare."""
_SENT = regex(r"ssh (?:-\S{1,40} ){0,4}(?:\w{1,32}@)?(?P<host>[A-Za-z][\w.-]{0,80}) (?P<quote>['\"]?)")
_SEARCH = regex(
    r"(?:sudo )?(?:(?P<source>lsmod|cat \S{1,160}|zcat \S{1,160}) ?\| ?)?(?:sudo )?[efz]{0,2}grep"
    r"(?P<options>(?: -{1,2}[A-Za-z-]{1,16})*) (?P<quote>['\"]?)(?P<words>[\w\\|^$. -]{2,120}?)(?P=quote)"
    r"(?P<file> (?!\d?>)[^\s;&|]{1,160})?(?P<hushed> 2> ?(?:/dev/null|&1))?"
    r"(?P<after> ?\| ?(?:head|tail|sort|uniq|less|column)(?: -\S{1,12}){0,2})?"
    r"(?P<behind> ?(?:;|&&|\|\|).{1,120})?\s{0,8}"
)
_STATUS = regex(r" ?; ?echo ['\"]?(?P<before>[\w :=(-]{0,24}?)\$(?:\?|\{\?\})(?P<after>\)?)['\"]?")
_ELSE = regex(
    r"(?: ?&& ?echo ['\"]?(?P<found>[^'\"|;&]{1,60}?)['\"]?)? ?\|\| ?echo ['\"]?(?P<none>[^'\"|;&]{1,60}?)['\"]?"
)


class Sought(NamedTuple):
    """One thing that a search asks for, and the reading that says that it is not there."""

    attribute: str
    part: Part
    seen: re.Pattern[str]
    """What a line looks like that the search prints where the thing is there."""


class Question(NamedTuple):
    """A search, and the line that it prints where nothing was found; "" where it prints none."""

    sought: tuple[Sought, ...]
    none: str
    host: str | None
    """Who was asked, where the command was sent to one node by its name."""


class _Thing(NamedTuple):
    words: re.Pattern[str]
    places: re.Pattern[str]
    """Lists and files that hold it wherever it is there."""
    sought: Sought


_THINGS = (
    _Thing(
        regex(r"(?:nv(?:idia)?_?)?peer_?mem\w{0,4}|nvidia_peer"),
        regex(r"lsmod|/proc/modules"),
        Sought("module-loaded", Part("module", "nvidia_peermem"), regex(r".*(?:nv_peer_mem|nvidia_peermem)")),
    ),
    _Thing(
        regex(r"(?:__ksymtab_)?mm_kobj"),
        regex(r"/proc/kallsyms|\S*/(?:[Mm]odule\.symvers|symvers-\S+|System\.map-\S+)"),
        Sought("mm-kobj-exported", NODE, regex(r".*\bmm_kobj\b|.*__ksymtab_mm_kobj")),
    ),
)
_ALWAYS_THERE = ("lsmod", "/proc/modules", "/proc/kallsyms")
"""What can be read on every node: an error that was hidden is none about the file."""


def question(text: str) -> Question | None:
    """The search in this line; None for any other line, and for searches whose silence says nothing."""
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead is not None else text
    sent = _SENT.match(rest)
    if sent is not None:
        rest = rest[sent.end() :].rstrip()
        if sent["quote"] and not rest.endswith(sent["quote"]):
            return None
        rest = rest[: len(rest) - len(sent["quote"])]
    search = _SEARCH.fullmatch(rest)
    if search is None:
        return None
    place = (search["file"] or search["source"] or "").strip().rpartition(" ")[2]
    sought, none = _sought(search["words"], place), _none(search)
    options = search["options"].replace("--", "-")
    hides = "s" in options or search["hushed"] is not None
    if not sought or none is None or re.search(r"[vLl]", options) or (hides and place not in _ALWAYS_THERE):
        return None
    return Question(sought, none, sent["host"] if sent is not None else None)


def _sought(words: str, place: str) -> tuple[Sought, ...]:
    """What the words ask for, those of several that are known here."""
    found = (
        thing.sought
        for word in re.split(r"\\?\|", words)
        for thing in _THINGS
        if thing.words.fullmatch(word.strip("^$ \\b")) and thing.places.fullmatch(place)
    )
    return tuple(dict.fromkeys(found))


def _none(search: re.Match[str]) -> str | None:
    """What is printed where nothing was found; None where nobody can tell."""
    options, behind = search["options"], search["behind"]
    counts, quiet = "c" in options, "q" in options
    if behind is None:
        return "0" if counts and search["after"] is None else None if counts or quiet else ""
    if search["after"] is not None or counts:
        return None  # the status is that of another program
    status, otherwise = _STATUS.fullmatch(behind), _ELSE.fullmatch(behind)
    if status is not None:
        return f"{status['before']}1{status['after']}".strip()
    return otherwise["none"].strip() if otherwise is not None else None


def not_in(text: str, sought: Sequence[Sought]) -> tuple[Sought, ...]:
    """Those that this line does not show."""
    return tuple(each for each in sought if each.seen.match(text) is None)

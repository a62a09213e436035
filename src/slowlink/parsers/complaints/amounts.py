"""Two numbers that are compared: ``x8 but should be x16``, ``expected 8, found 7``, ``only 6 of 8 visible``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from slowlink.patterns import regex


class Said(NamedTuple):
    """A state and where it stands in the line."""

    state: str
    start: int
    end: int


_ACTUAL = r"(?P<actual_unit>(?<![a-z])(?:x|gen ?))?(?<!\d)(?<!\d[.])(?<![0-9a-f]:)(?P<actual>\d{1,6}(?:\.\d{1,2})?)"
_WANTED = r"(?P<wanted_unit>(?<![a-z])(?:x|gen ?))?(?<!\d)(?<!\d[.])(?P<wanted>\d{1,6}(?:\.\d{1,2})?)"
_INSTEAD = (
    r"(?:instead of|rather than|but (?:should|must) be|should (?:be|have)|must be|needs? to be|supposed to be"
    r"|expect\w{0,6}|want\w{0,2}|nominal|required|vs\.?)"
)
_FOUND = r"(?:got|found|but|have|has|only|sees?|saw|detected|actual\w{0,2}|current\w{0,2}|is|reported|reports|visible)"
_PRESENT = r"(?:visible|present|found|active|up|ok|healthy|detected|available|online|running|usable|remain\w{0,3})"
_NEEDED = r"(?:required|expected|needed|wanted|installed|configured|should)"
COMPARISONS = (
    rf"{_ACTUAL}[^\d;.]{{0,16}}[ ,(]{_INSTEAD}[^\d;.]{{0,16}}{_WANTED}",
    rf"{_ACTUAL}[^\d,;.]{{0,16}}[ ,(](?:max\w{{0,6}}|capab\w{{0,6}}(?: of)?)[ :=]{{1,3}}{_WANTED}",
    rf"\bexpect\w{{0,6}}\b[^\d;.]{{0,24}}{_WANTED}[^\d;.]{{0,40}}\b{_FOUND}\b[^\d;.]{{0,20}}{_ACTUAL}",
    rf"{_ACTUAL} (?:[a-z]{{1,12}} ){{0,2}}{_PRESENT}\W{{1,3}}{_WANTED} (?:[a-z]{{1,12}} ){{0,2}}{_NEEDED}\b",
    rf"{_ACTUAL} ?(?:/|of|out of) ?(?:the )?{_WANTED}(?: [a-z_-]{{1,16}}){{0,3}} (?:(?:is|are"
    rf"|were) )?{_PRESENT}\b",
)
"""About text in lower case."""
_PATTERNS = tuple(map(regex, COMPARISONS))
_KEY = regex(r"([a-z_][\w.-]{0,58})=$")
_SAYS = regex(
    r"|expect\w*|want\w*|required?|need\w*|should|max\w*|min\w*|capab\w*|nominal|found|got|actual\w*|current\w*|seen|"
    r"visible|detected|reported|have|has|num|n|nr|count|total"
)
_PLACES = frozenset(
    {"rank", "id", "index", "idx", "pid", "seed", "version", "time", "attempt", "retry", "step", "node_id"}
)
"""Words of keys whose numbers tell which one, not how many."""
_LANES = regex(r"gt/s|width|\blanes?\b|\bgen\b|pcie?\b")
_RATE = regex(r"gb|speed|(?<![a-z])rate|bandwidth")


def shortfalls(text: str) -> Iterator[Said]:
    """Where ``text`` (in lower case) names a number below the one that it should be."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if float(found["actual"]) < float(found["wanted"]) and _of_one_thing(found):
                yield Said(_kind(found), *found.span())


def _of_one_thing(found: re.Match[str]) -> bool:
    """Two keys with values are compared only where both are about the same: not ``rank=0 expected_gpus=8``."""
    text = found.string
    actual, wanted = _key_of(text, found.start("actual")), _key_of(text, found.start("wanted"))
    if actual is None or wanted is None:
        return actual is None or not actual & _PLACES
    return not actual & _PLACES and (not actual or not wanted or bool(actual & wanted))


def _key_of(text: str, at: int) -> frozenset[str] | None:
    """The words of the key whose value begins at ``at``, less those for what is and what should be; None: no key."""
    key = _KEY.search(text, max(0, at - 60), at)
    if key is None:
        return None
    return frozenset(word.removesuffix("s") for word in re.split(r"[_.-]", key[1]) if not _SAYS.fullmatch(word))


def may_compare(text: str) -> bool:
    """Does ``text`` (in lower case) compare two numbers, whatever they are?"""
    return any(pattern.search(text) for pattern in _PATTERNS)


def _kind(found: re.Match[str]) -> str:
    """Lanes and generations are narrower, rates slower, and what is counted is fewer."""
    around = found.string[max(0, found.start() - 40) : found.end() + 12]
    if found["actual_unit"] or found["wanted_unit"] or _LANES.search(around):
        return "narrower"
    return "slower" if _RATE.search(around) else "fewer"

"""Where a value begins and ends: between quotes, or as a bare word."""

from __future__ import annotations

import re
from typing import NamedTuple

from slowlink.patterns import regex

_SIGN = r"(?:[^\s\"'`\\\0]|\\.|[\"'`](?![\s,\]}):;]|$))"
BARE = regex(rf"{_SIGN}*")
BARE_IN_JSON = regex(r"[^\s\"'`\\,}\]]*")
IN_BRACKETS = regex(r"\S*(?=\])")
_PREFIX = (
    r"(?:[bBrRuUfF]{1,2}(?=\\{0,3}(?:[\"'](?![\s,\]}):;]|$)"
    r"|(?P<same>[\"'])[^\"'\n]{1,200}(?P=same)\s{0,4}(?:[,\])}]|$))))?"
)
"""Letters before the quote of a literal (``b'x'``), unless that quote looks like one that closes."""
_OPENING = regex(_PREFIX + r"(?P<escapes>\\{0,3})(?P<quote>\"\"\"|'''|[\"'`])")
_INSIDE = {
    '"': regex(r'[^"\\]*(?:(?:\\.|"")[^"\\]*)*', re.DOTALL),
    "'": regex(r"[^'\\]*(?:(?:\\.|'')[^'\\]*)*", re.DOTALL),
    "`": regex(r"[^`]*"),
}


def bare_before(*endings: str) -> re.Pattern[str]:
    """A bare word up to the first place where one of ``endings`` fits, each a group; no match where there is none."""
    return regex(rf"(?:(?!{'|'.join(endings)}){_SIGN})*(?={'|'.join(f'({ending})' for ending in endings)})")


class Quote(NamedTuple):
    """A quoted text: from the character after the quote to the one that closes it, or to the line's end."""

    begin: int
    end: int
    mark: str
    closed: bool
    can_go_on: bool
    """Was it opened by a quote that may be closed on a later line? Escaped ones stand inside another string."""


def quote_at(text: str, start: int) -> Quote | None:
    """The quoted text that opens at ``start``, if one does."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    begin, mark = opening.end(), opening["quote"]
    if len(mark) == 3 and not opening["escapes"]:
        end = text.find(mark, begin)
        return Quote(begin, end if end >= 0 else end_of_line(text, begin), mark, end >= 0, True)
    if len(mark) == 3:  # an escaped quote, and an empty text
        begin, mark = opening.start("quote") + 1, mark[0]
    if opening["escapes"]:
        return _escaped(text, begin, opening["escapes"] + mark)
    match = _INSIDE[mark].match(text, begin)
    end = match.end() if match else begin
    closed = end < len(text) and text[end] == mark
    return Quote(begin, end if closed else max(begin, min(end, end_of_line(text, begin))), mark, closed, mark != "`")


def _escaped(text: str, begin: int, mark: str) -> Quote:
    end = text.find(mark, begin)
    while end > begin and text[end - 1] == "\\":
        end = text.find(mark, end + 1)
    return Quote(begin, end if end >= 0 else end_of_line(text, begin), mark, end >= 0, False)


def end_of_line(text: str, start: int) -> int:
    """Where the line's text ends; ``start`` when only the line's end follows it."""
    return max(start, len(text.rstrip("\r\n")))

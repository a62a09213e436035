"""Values whose name says that they are secret: ``KEY=value``, ``--password x``, ``"token": "x"``, HTTP headers."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.names import ENDING
from slowlink.redact.replaced import REPLACED, replace_with

_NAMED = regex(
    ENDING + r"\d{0,2}(?P<gap>\\{0,3}[\"']?\]?\s{0,4}(?:=>?|:(?!:))\s{0,4}|\s{1,4}|[\"']\s{0,4},\s{0,4}(?=[\"']))"
)
_HEADER = regex(
    r"(?i:(?:proxy-)?authorization|x-api-key|x-auth-token|x-vault-token|(?:set-)?cookie)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}"
)
_OPENING = regex(r"(?P<escapes>\\{0,3})(?P<quote>[\"'])")
_QUOTED = {'"': regex(r'(?:[^"\\]|\\.)*', re.DOTALL), "'": regex(r"(?:[^'\\]|\\.)*", re.DOTALL)}
_BARE = regex(r"(?:[^\s\"'`\\]|\\.|[\"'`](?![\s,\]}):;]|$))*")
_BARE_IN_JSON = regex(r"[^\s\"'`\\,}\]]*")
_NOTHING = regex(r"(?i:true|false|null|none|nil|yes|no|undefined|\*+)?[,;.)\]}]{0,3}|\$\{?[A-Z_][A-Z\d_]*\}?[,;)]?")
"""Values that give nothing away: switches, stars, references to a variable."""
_WORD_BEFORE = regex(r"[\w.-]*\Z")


def redact_named(text: str, removed: Counter[str]) -> str:
    """One line with the values of secret names replaced."""
    out: list[str] = []
    at = 0
    while (match := _NAMED.search(text, at)) is not None:
        start = match.end()
        gap = match["gap"]
        if _is_option_gap(gap) and not _is_option(text, match.start(), at):
            out.append(text[at:start])
            at = start
            continue
        in_json = gap[:1] in "\"'" and "," not in gap
        begin, end = _value(text, start, in_json=in_json)
        out.append(text[at:begin])
        value = _replaced(text[begin:end], kind_of(match[0][: match.start("gap") - match.start()]), removed)
        # A number becomes a string: a document stays one.
        out.append(f'"{value}"' if in_json and begin == start and value != text[begin:end] else value)
        at = end
    out.append(text[at:])
    return "".join(out)


def redact_headers(text: str, removed: Counter[str]) -> str:
    """One line with the values of HTTP's authentication headers replaced, up to the quote that ends them."""
    out: list[str] = []
    at = 0
    while (match := _HEADER.search(text, at)) is not None:
        begin, end = _quoted(text, match.end()) or _until_quote(text, match.end())
        out.append(text[at:begin])
        out.append(_replaced(text[begin:end], "authorization", removed))
        at = end
    out.append(text[at:])
    return "".join(out)


def _is_option_gap(gap: str) -> bool:
    return "=" not in gap and ":" not in gap


def _is_option(text: str, at: int, floor: int) -> bool:
    """Does the word that ends its name at ``at`` begin with a dash?"""
    before = _WORD_BEFORE.search(text, max(floor, at - 100), at)
    word = text[before.start() : at] if before else ""
    return word.startswith("-")


def kind_of(name: str) -> str:
    """The kind of secret that ``name`` announces."""
    low = name.lower()
    for mark, kind in (("token", "token"), ("key", "key"), ("pass", "password"), ("pwd", "password")):
        if mark in low:
            return kind
    return "secret"


def _value(text: str, start: int, *, in_json: bool) -> tuple[int, int]:
    quoted = _quoted(text, start)
    if quoted is not None:
        return quoted
    match = (_BARE_IN_JSON if in_json else _BARE).match(text, start)
    return start, match.end() if match else start


def _quoted(text: str, start: int) -> tuple[int, int] | None:
    """Where the text between quotes lies; to the end of the line when they are not closed."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    begin = opening.end()
    if not opening["escapes"]:
        match = _QUOTED[opening["quote"]].match(text, begin)
        return begin, match.end() if match else begin
    end = text.find(opening[0], begin)
    while end > begin and text[end - 1] == "\\":
        end = text.find(opening[0], end + 1)
    return begin, end if end >= 0 else _end_of_line(text, begin)


def _until_quote(text: str, start: int) -> tuple[int, int]:
    ends = [place for quote in "\"'" if (place := text.find(quote, start)) >= 0]
    return start, min(ends, default=_end_of_line(text, start))


def _end_of_line(text: str, start: int) -> int:
    """Where the line's text ends; ``start`` when only the line's end follows it."""
    return max(start, len(text.rstrip("\r\n")))


def _replaced(value: str, kind: str, removed: Counter[str]) -> str:
    if REPLACED.fullmatch(value) or _NOTHING.fullmatch(value):
        return value
    ending = value[len(value.rstrip("\r\n")) :]
    return replace_with(kind, removed) + ending

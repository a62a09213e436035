"""Secrets behind what asks for them, or beside the name of who has them: prompts, commands of Redis, queries, headings.

Sources: psql(1) and git-credential(1), what they ask; Redis, ``AUTH`` and ``MONITOR``; InfluxDB 1, ``/query``.
"""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import gives_nothing
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.leads import looks_like_lead
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import replace_with, without_marks
from slowlink.redact.value_ends.phrases import is_phrase

_REDIS = regex(
    r"(?<![\w\"])\\{0,3}\"(?i:auth)\\{0,3}\"\s{1,4}(?:\\{0,3}\"[^\s\"\\]{1,100}\\{0,3}\"\s{1,4})?"
    r"\\{0,3}\"(?P<value>[^\"\n\\]{1,400})"
    r"|(?<=:\d{4}> )(?i:auth)\s{1,4}(?:[^\s\"]{1,100}\s{1,4})?\"?(?P<typed>[^\s\"]{1,400})(?=\"?\s*$)"
)
_QUERY = regex(
    r"(?<![\w.-])u=[^\s&\"'=]{1,100}&(?:[\w.-]{1,40}=[^\s&\"'=]{0,200}&){0,6}p=(?P<behind>(?!\d{1,4}(?![^\s&\"']))[^\s&\"']{1,400})"
    r"|(?<![\w.-])p=(?P<before>(?!\d{1,4}(?![^\s&\"']))[^\s&\"']{1,400})(?=&(?:[\w.-]{1,40}=[^\s&\"'=]{0,200}&){0,6}u=)"
)
"""A number of few digits is one of a page."""
_HEADED = regex(
    r"\\[a-z]{2,16}\{(?P<name>[A-Za-z][\w -]{1,60}?)(?::\}|\}\s{0,4}:)[\s~]{1,4}(?P<value>[^\s{}\\\"']{1,400})"
)
"""LaTeX: a name in bold letters."""
_PROMPT = regex(
    r"(?i:password|passphrase) for (?:[a-z]{1,12} ){0,2}(?:'[^'\n]{1,300}'|\"[^\"\n]{1,300}\"|[^\s'\":]{1,100}): {1,2}"
    r"(?P<value>[^\s\"'\\<&]{4,200})(?=\s*$)"
)
"""What psql, git and others ask, and what was typed behind it: one word."""
_PHRASE = regex(
    r"(?i:(?P<name>passphrase) for )(?:[a-z]{1,12} ){0,2}\S{1,300}?: {0,2}"
    r"(?P<value>[^\s\"'\\<&](?:[^\s\"'\\<&]| (?! )){3,200})(?=\s*$)"
)
_ASKS = (
    ('"auth', _REDIS, "password"),
    ("> auth ", _REDIS, "password"),
    ("p=", _QUERY, "password"),
    ("}", _HEADED, ""),
    (" for ", _PROMPT, "password"),
    ("passphrase for ", _PHRASE, "password"),
)
"""A mark that a line must hold, in small letters; the pattern; the kind, or none where the name tells it."""
_WANTS = tuple((ask_for((mark,)), pattern, kind) for mark, pattern, kind in _ASKS)
MARKS = ("auth", "&p=", "&u=")


def redact_asked(text: str, removed: Counter[str], words: int) -> str:
    """One line without what was given. ``words``: what ``held`` says of it."""
    for wants, pattern, kind in _WANTS:
        if words & wants:
            text = _given(text, pattern, kind, removed)
    return text


def _given(text: str, pattern: re.Pattern[str], kind: str, removed: Counter[str]) -> str:
    def put(match: re.Match[str]) -> str:
        span = without_marks(text, *match.span(match.lastgroup or "value"))
        if span is None or not _is_one(text, pattern, match, text[span.begin : span.end]):
            return match[0]
        begin, end = (at - match.start() for at in span)
        return match[0][:begin] + replace_with(kind or kind_of(match["name"]), removed) + match[0][end:]

    return pattern.sub(put, text)


def _is_one(text: str, pattern: re.Pattern[str], match: re.Match[str], value: str) -> bool:
    if pattern is _HEADED:
        return is_secret_name(match["name"]) and not gives_nothing(value, kind_of(match["name"]))
    if pattern is _PHRASE:
        return is_phrase(value, match["name"])
    return not gives_nothing(value, "password") and (pattern is not _PROMPT or looks_like_lead(text, match.start()))

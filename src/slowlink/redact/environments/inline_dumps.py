"""Whole environments on one line: of /proc, of ``ps e``, of Python's ``os.environ`` and of JSON."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.environments.allowed import keeps
from slowlink.redact.environments.dumps import TELL_MARKS, TELLS
from slowlink.redact.replaced import REPLACED, replace_with
from slowlink.redact.runs import holds_any

_TELLING = "(?:" + "|".join(sorted(TELLS)) + ")"
_QUOTE = r"(?:[\"']|&quot;)"
"""A page writes quotes as entities."""
_ENTRY = regex(rf"{_QUOTE}{_TELLING}{_QUOTE}\s{{0,4}}:\s{{0,4}}[bu]?{_QUOTE}")
_ENTRIES = regex(
    rf"(?P<lead>{_QUOTE}(?P<name>[A-Z_][A-Z\d_]{{0,100}}){_QUOTE}\s{{0,4}}:\s{{0,4}}[bu]?)"
    r"(?:\"(?P<one>(?:[^\"\\]|\\.)*)|'(?P<two>(?:[^'\\]|\\.)*)|&quot;(?P<three>(?:[^&\n]|&(?!quot;)){0,4000}))"
)
_NULLS = regex(rf"(?:^|\0){_TELLING}=")
_AFTER_NULL = regex(r"(?P<lead>(?:^|(?<=\0))(?P<name>[A-Za-z_][\w%()]{0,100})=)(?P<one>[^\0\n]+)")
_WORDS = regex(rf"(?P<unit>(?<=Environment=))?(?:(?<!\S)|(?<=Environment=))(?P<name>{_TELLING})=")
_WORD = regex(r"(?P<lead>(?:(?<!\S)|(?<=Environment=))(?P<name>[A-Z_][A-Z\d_]{0,100})=)(?P<one>[^\s\0]+)")

_FEWEST = 4
"""One variable tells of a container's environment, where so many stand together: before a command stand fewer."""


def redact_inline_dumps(text: str, removed: Counter[str]) -> str:
    """One line without the values of variables that are not on the allow-list, where a whole environment is on it."""
    if not holds_any(text, TELL_MARKS):
        return text
    if "\0" in text and _NULLS.search(text) is not None:
        text = _AFTER_NULL.sub(lambda match: _kept(match, removed), text)
    if _ENTRY.search(text) is not None:
        text = _ENTRIES.sub(lambda match: _kept(match, removed), text)
    words = list(_WORDS.finditer(text))
    several = len({match["name"] for match in words}) > 1 or any(match["unit"] is not None for match in words)
    if several or (words and len(_WORD.findall(text)) >= _FEWEST):
        text = _WORD.sub(lambda match: _kept(match, removed), text)
    return text


def _kept(match: re.Match[str], removed: Counter[str]) -> str:
    group = match.lastgroup or "one"
    value = match[group]
    if keeps(match["name"], value) or not value or REPLACED.fullmatch(value):
        return match[0]
    begin = match.start(group) - match.start()
    return match[0][:begin] + replace_with("environment", removed) + match[0][begin + len(value) :]

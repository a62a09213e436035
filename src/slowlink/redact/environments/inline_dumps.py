"""Whole environments on one line: of /proc, of ``ps e``, of Python's ``os.environ`` and of JSON."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.environments.allowed import keeps
from slowlink.redact.environments.dumps import NAMES_TELLING, TELLS
from slowlink.redact.replaced import REPLACED, replace_with

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
_NAME = r"(?P<name>[A-Z_][A-Z\d_]{0,100})"
_BEGIN = r"(?:(?<![^\s,;\[({=])|(?<==[\"']))"
"""Before a variable that stands among others: a blank, or what separates the items of a list."""
_WORDS = regex(rf"(?P<unit>(?<=Environment=))?{_BEGIN}(?P<name>{_TELLING})=")
_WORD = regex(rf"(?P<lead>{_BEGIN}{_NAME}=)(?P<one>(?:(?![,;][A-Z_][A-Z\d_]{{0,100}}=)[^\s\0])+)")
_INSIDE = r"(?P<one>(?:(?!(?P=quote))[^\\\n]|\\.)+)"
_WRITINGS = (
    regex(rf"(?P<lead>(?P<quote>[\"']){_NAME}=){_INSIDE}"),
    regex(
        rf"(?P<lead>(?P<quote>[\"']){_NAME}(?P=quote)\s{{0,4}}(?:=>|,)\s{{0,4}}(?P=quote)){_INSIDE}(?=(?P=quote)\s{{0,4}}(?!:|\s))"
    ),
    regex(rf"(?P<lead>(?<=[\s\[]){_NAME}:)(?P<one>[^\s\]\"']+)"),
    regex(
        rf"(?P<lead>[\"'](?:key|name)[\"']\s{{0,4}}:\s{{0,4}}[\"']{_NAME}[\"']\s{{0,4}},\s{{0,4}}"
        rf"[\"']value[\"']\s{{0,4}}:\s{{0,4}}(?P<quote>[\"'])){_INSIDE}"
    ),
)
"""Lists of strings, pairs of strings, maps as Go prints them, objects of a name and a value."""
_COMMON = TELLS | {"PATH", "USER", "LANG", "TERM", "HOSTNAME"}
"""Variables that nearly every environment holds."""
_FEWEST = 4
"""One variable tells of a container's environment, where so many stand together: before a command stand fewer."""


def redact_inline_dumps(text: str, removed: Counter[str], words: int) -> str:
    """One line without the values of variables that are not on the allow-list, where a whole environment is on it.
    ``words``: what ``held`` says of it."""
    if not words & NAMES_TELLING:
        return text
    if "\0" in text and _NULLS.search(text) is not None:
        text = _AFTER_NULL.sub(lambda match: _kept(match, removed), text)
    if _ENTRY.search(text) is not None:
        text = _ENTRIES.sub(lambda match: _kept(match, removed), text)
    telling = list(_WORDS.finditer(text))
    several = len({match["name"] for match in telling}) > 1 or any(match["unit"] is not None for match in telling)
    if several or (telling and len(_WORD.findall(text)) >= _FEWEST):
        for words_of in (_WORD, _WRITINGS[0]):  # systemd puts quotes around those that hold blanks
            text = words_of.sub(lambda match: _kept(match, removed), text)
    for writing in _WRITINGS:
        names = {match["name"] for match in writing.finditer(text)}
        if names & TELLS and len(names & _COMMON) > 1:
            text = writing.sub(lambda match: _kept(match, removed), text)
    return text


def _kept(match: re.Match[str], removed: Counter[str]) -> str:
    group = next(name for name in ("one", "two", "three") if match.groupdict().get(name) is not None)
    value = match[group]
    if keeps(match["name"], value) or not value or REPLACED.fullmatch(value):
        return match[0]
    begin = match.start(group) - match.start()
    return match[0][:begin] + replace_with("environment", removed) + match[0][begin + len(value) :]

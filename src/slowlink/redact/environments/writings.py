"""Other ways to print an environment than ``env`` has, one variable a line: lists of strings, units, mappings, tables.

They are weaker signs than ``NAME=value``: a banner says ``HOME: ...``, too. So only a variable that nobody prints by
hand, with a value that is like its own, shows such a dump, and only lines that are written alike belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.patterns import regex
from slowlink.redact.over_lines.leads import split_lead

_NAME = r"(?P<name>[A-Z_][A-Z\d_]{0,100})"
_LEVELS = frozenset({"INFO", "WARN", "WARNING", "ERROR", "DEBUG", "NOTE", "NOTICE", "FATAL", "CRITICAL", "TRACE"})
WRITINGS = {
    "string": regex(rf"\s{{0,80}}[\[(]?(?P<quote>[\"']){_NAME}=(?P<value>[^\n]{{1,8000}}?)(?P=quote)[\])]?,?\s*$"),
    "unit": regex(rf"\s{{0,8}}(?:Environment=|ENV |- )[\"']?{_NAME}=(?P<value>[^\n]{{1,8000}}?)[\"']?\s*$"),
    "mapping": regex(rf"\s{{0,80}}{_NAME}:\s{{1,40}}[\"']?(?P<value>[^\s\"'][^\n]{{0,8000}}?)[\"']?\s*$"),
    "assignment": regex(rf"\s{{0,80}}{_NAME}\s{{1,40}}(?:=|->|=>)\s{{1,40}}(?P<value>\S[^\n]{{0,8000}}?)\s*$"),
    "row": regex(
        rf"\s{{0,8}}[|\u2502\u2503]\s{{0,8}}{_NAME}\s{{0,80}}[|\u2502\u2503]\s{{0,8}}(?P<value>[^\s|][^\n|]{{0,8000}}?)"
        r"\s{0,400}(?:[|\u2502\u2503]\s*)?$"
    ),
}
"""Each with the name and the value of a variable, for a line without its lead."""
_DIRECTORIES = frozenset({"HOME", "SHELL", "OLDPWD"})
_OWN_VALUE = regex(r"/[\w./-]{0,200}|<redacted:environment>")
"""A path, or what stands for one: in the result the same line shows the dump."""


def written(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The ways in which ``text`` may be a variable of an environment, without its lead."""
    for writing, pattern in WRITINGS.items():
        match = pattern.match(text)
        if match is not None and match["name"] not in _LEVELS:
            yield writing, match


def shown_by(text: str) -> tuple[int, str] | None:
    """Where a line begins behind its lead, and how its dump is written, where it shows one by itself."""
    lead, words = split_lead(text)
    for writing, match in written(words):
        if match["name"] in _DIRECTORIES and _OWN_VALUE.fullmatch(match["value"]) is not None:
            return len(lead), writing
    return None

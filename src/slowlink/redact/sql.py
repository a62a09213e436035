"""Secrets in SQL that names a column apart from its value: ``INSERT INTO t (name, password) VALUES ('a', 'b')``.

Source: ISO/IEC 9075-2, insert statement; the manuals of PostgreSQL (``CREATE ROLE``) and MySQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name

MARKS = ("insert ", "replace into", " password '", ' password "')
"""In small letters; one of them is on each line on which something is secret here."""
_COLUMNS = regex(r"\((?P<columns>[^()'\n]{1,2000})\)\s{0,4}(?i:values?)\s{0,4}(?=\()")
_ROW = regex(r"\s{0,4},?\s{0,4}\(")
_STANDARD = r"(?:[^'\n]|'')*"
_SINGLE = r"(?:[^'\\\n]|''|\\(?!'\s{0,4}[,)]).|\\(?='\s{0,4}[,)]|$))*"
"""MySQL writes a quote in a text as ``\\'`` too; where a text may end behind it, a backslash is one."""
_DOUBLE = r"(?:[^\"\\\n]|\"\"|\\(?!\"\s{0,4}[,)]).|\\(?=\"\s{0,4}[,)]|$))*"
_ENDS_SINGLE, _ENDS_DOUBLE = r"'(?!')", r"\"(?!\")"
"""Each sign is of one part of a pattern only: else a row that fits none is read in as many ways as it has signs."""


class _Writing(NamedTuple):
    """How a row is read."""

    piece: re.Pattern[str]
    """A text, which the end of the line may cut, something in brackets, or what stands between such."""
    value: re.Pattern[str]


_WRITINGS = (
    _Writing(
        regex(rf"'{_STANDARD}(?:{_ENDS_SINGLE}|$)|\([^()\n]*\)?|[^()'\n]+"),
        regex(
            rf"\s{{0,20}}(?:[NEBX]?'(?P<text>{_STANDARD})(?:{_ENDS_SINGLE}|$))?"
            rf"(?:'{_STANDARD}{_ENDS_SINGLE}|\([^()]*\)|[^,'()])*(?:,|$)"
        ),
    ),
    _Writing(
        regex(rf"'{_SINGLE}(?:{_ENDS_SINGLE}|$)|\"{_DOUBLE}(?:{_ENDS_DOUBLE}|$)|\([^()\n]*\)?|[^()'\"\n]+"),
        regex(
            rf"\s{{0,20}}(?:[NEBX]?'(?P<text>{_SINGLE})(?:{_ENDS_SINGLE}|$)|\"(?P<double>{_DOUBLE})(?:{_ENDS_DOUBLE}|$))?"
            rf"(?:'{_SINGLE}{_ENDS_SINGLE}|\"{_DOUBLE}{_ENDS_DOUBLE}|\([^()]*\)|[^,'\"()])*(?:,|$)"
        ),
    ),
)
"""As the standard has it, and as MySQL does, with texts in double quotes: a row does not say which of both it is."""
_SIGNS_OF_MYSQL = frozenset('"\\')
_ROLE = regex(
    r"(?i:\b(?:role|user|login|with|encrypted|admin|for)\b[^;\n]{0,200}?\bpassword)\s{1,4}[\"'](?P<value>[^\"'\n]{1,400})[\"']"
)
_MOST_ROWS = 1000
_MOST_OPEN_ROWS = 20


def sql_spans(text: str, low: str) -> Iterator[tuple[int, int]]:
    """Where such secrets stand on a line; ``low``: in small letters."""
    if " password '" in low or ' password "' in low:
        yield from (match.span("value") for match in _ROLE.finditer(text))
    if "insert " in low or "replace into" in low:
        for writing in _WRITINGS if not _SIGNS_OF_MYSQL.isdisjoint(text) else _WRITINGS[:1]:
            yield from _inserted(text, writing)


def _inserted(text: str, writing: _Writing) -> Iterator[tuple[int, int]]:
    """Values of secret columns. A row is read once: what looks like the head of a statement in it is a text. Rows that
    never close reach to the end of the text, and few of them are read."""
    at = open_rows = 0
    while open_rows < _MOST_OPEN_ROWS and (header := _COLUMNS.search(text, at)) is not None:
        at = header.end()
        names = [name.strip(' \t`"[]') for name in header["columns"].split(",")]
        secret = {number for number, name in enumerate(names) if is_secret_name(name)}
        row = _ROW.match(text, at) if secret else None
        for _ in range(_MOST_ROWS):
            if row is None:
                break
            end = _end_of_row(text, row.end(), writing)
            yield from _in_row(text, (row.end(), end), secret, writing)
            if end >= len(text):
                open_rows += 1
                break
            at, row = end + 1, _ROW.match(text, end + 1)


def _in_row(text: str, place: tuple[int, int], secret: set[int], writing: _Writing) -> Iterator[tuple[int, int]]:
    """The values of these columns in a row."""
    at, end = place
    column = 0
    while at < end and (value := writing.value.match(text, at, end)) is not None and value.end() > at:
        if column in secret and value[value.lastgroup or "text"]:
            yield value.span(value.lastgroup or "text")
        at, column = value.end(), column + 1


def _end_of_row(text: str, at: int, writing: _Writing) -> int:
    """Where the bracket closes that opened before ``at``; the end of a text that was cut."""
    while (piece := writing.piece.match(text, at)) is not None:
        at = piece.end()
    return at

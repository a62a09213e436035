"""Secrets in SQL that names a column apart from its value: ``INSERT INTO t (name, password) VALUES ('a', 'b')``.

Source: ISO/IEC 9075-2, insert statement; the manuals of PostgreSQL (``CREATE ROLE``) and MySQL.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name

MARKS = ("insert ", "replace into", " password '", ' password "')
"""In small letters; one of them is on each line on which something is secret here."""
_COLUMNS = regex(r"\((?P<columns>[^()'\n]{1,2000})\)\s{0,4}(?i:values?)\s{0,4}(?=\()")
_ROW = regex(r"\s{0,4},?\s{0,4}\(")
_PIECE = regex(r"'(?:[^'\n]|'')*(?:'|$)|\([^()\n]*\)?|[^()'\n]+")
"""Of a row: a text, which the end of the line may cut, something in brackets, or what stands between such."""
_VALUE = regex(
    r"\s{0,20}(?:[NEBX]?'(?P<text>(?:[^']|'')*)(?:'|$)|(?:'(?:[^']|'')*'|\([^()]*\)|[^,'()])*)\s{0,20}(?:,|$)"
)
_ROLE = regex(
    r"(?i:\b(?:role|user|login|with|encrypted|admin|for)\b[^;\n]{0,200}?\bpassword)\s{1,4}[\"'](?P<value>[^\"'\n]{1,400})[\"']"
)
_MOST_ROWS = 1000


def sql_spans(text: str, low: str) -> Iterator[tuple[int, int]]:
    """Where such secrets stand on a line; ``low``: in small letters."""
    if " password '" in low or ' password "' in low:
        yield from (match.span("value") for match in _ROLE.finditer(text))
    if "insert " in low or "replace into" in low:
        for header in _COLUMNS.finditer(text):
            names = [name.strip(' \t`"[]') for name in header["columns"].split(",")]
            secret = {at for at, name in enumerate(names) if is_secret_name(name)}
            if secret:
                yield from _in_rows(text, header.end(), secret)


def _in_rows(text: str, at: int, secret: set[int]) -> Iterator[tuple[int, int]]:
    """The values of these columns in the rows that begin at ``at``."""
    for _ in range(_MOST_ROWS):
        row = _ROW.match(text, at)
        if row is None:
            return
        place, end, column = row.end(), _end_of_row(text, row.end()), 0
        while place < end and (value := _VALUE.match(text, place, end)) is not None and value.end() > place:
            if column in secret and value["text"]:
                yield value.span("text")
            place, column = value.end(), column + 1
        at = end + 1


def _end_of_row(text: str, at: int) -> int:
    """Where the bracket closes that opened before ``at``; the end of a text that was cut."""
    while (piece := _PIECE.match(text, at)) is not None:
        at = piece.end()
    return at

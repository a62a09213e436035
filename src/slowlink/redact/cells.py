"""Secrets in tables: a name alone in its cell, and the value alone in the next (``| DB_PASSWORD | ... |``), with bars
or blanks between the columns."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import is_heading
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.leads import looks_like_lead
from slowlink.redact.replaced import replaced
from slowlink.redact.value_ends.phrases import is_phrase, phrase_in

_BARS = (regex("([\u2502\u2503])"), regex(r"((?<!\S)\||\|(?!\S))"), regex("([|\u2502\u2503])"))
"""What stands between cells: first the signs that hardly any word holds, so that a word with a bar in it goes whole."""
_NAME = regex(
    r"\s{0,200}[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{1,100}(?: [A-Za-z][\w.-]{1,30}){0,3})[\"'`*]{0,2}\s{0,400}"
)
_DECORATED = regex(r"\s{0,400}(?P<mark>[\"'`]|\*{1,2}|)(?P<value>\S{1,4000}?)(?P=mark)\s{0,400}")
_TAIL = regex(r"\\{0,7}[\"'](?:[,;]\S*|[\\\"'}\]),]{0,40})$")
"""The end of a text that holds the row."""
_SHORTEST = 8
"""A shorter one is the heading of a column as likely (``| token | p99 |``)."""
_ROW = regex(
    r"\s{0,20}\"?(?P<name>[A-Za-z][\w.-]{1,100})\"?[,;]\s{0,4}"
    r"(?:\"(?P<quoted>[^\"]{8,400})\";?|\"?(?P<value>[^\s\"',;]{8,400})\"?;?|(?P<rest>[^\s\"]{8,400}))\s{0,4}"
)
"""A row of two cells: settings as CSV."""
_HEADINGS = regex(r"[A-Za-z][\w.-]{0,60}(?:[,;|][A-Za-z][\w.-]{0,60}){1,100}")
_BLANK = regex(r"\s")
_BLANKS = regex(r"([ ]{2,}|[ ]?\t[ \t]*)")
_COLUMN_NAME = regex(r"[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{1,100})[\"'`*]{0,2}$")
_NO_CELL = regex(r"-{1,3}|default")
"""What stands in the cell of a column that has nothing to say. Source: ``wwctl node list --all``, which has the profile
between a field and its value."""
_SIGNS = frozenset("_.")
"""A name of several words is no heading of other columns."""


def redact_cells(text: str, removed: Counter[str], words: int) -> str:
    """One line without the values of such cells, where they are mixed as secrets are: headings stand side by side.
    ``words``: what ``held`` says of it."""
    if not words & SECRET_NAME:
        return text
    if (row := _ROW.fullmatch(text)) is not None and _is_row(row["name"], row[row.lastgroup or 0]):
        begin, end = row.span(row.lastgroup or 0)
        return text[:begin] + replaced(text[begin:end], kind_of(row["name"]), removed, weak=True) + text[end:]
    text = _columns(text, removed) if "  " in text or "\t" in text else text
    has_bars = "|" in text or not text.isascii()
    for bars in (_BARS[1:] if text.isascii() else _BARS) if has_bars else ():
        text = _between(bars, text, removed)
    return text


def _between(bars: re.Pattern[str], text: str, removed: Counter[str]) -> str:
    """One line of a table that has ``bars`` between its cells."""
    parts = bars.split(text)
    if parts[1:2] == ["|"] and _BLANK.search(text) is None and _is_row(parts[0], text[len(parts[0]) + 1 :]):
        parts[2:] = ["".join(parts[2:])]
    for at in range(0, len(parts) - 2, 2):
        name = _NAME.fullmatch(parts[at])
        if name is not None:
            parts[at + 2] = _clean(parts[at + 2], name["name"], removed)
    return "".join(parts)


def value_in(cell: str) -> tuple[int, int] | None:
    """Where the one word of a cell stands, without what is written around it; None where there is none, or more."""
    match = _DECORATED.fullmatch(cell)
    if match is None:
        return None
    begin, end = match.span("value")
    tail = _TAIL.search(cell, begin + 1, end) if not match["mark"] else None
    return begin, end if tail is None else tail.start()


def _is_row(name: str, value: str) -> bool:
    """Is what stands behind the first sign of a row one value, and no row of headings?"""
    if _BLANK.search(value) is not None and not (kind_of(name) == "password" and is_phrase(value, name)):
        return False
    return _is_pair(name, value) and _HEADINGS.fullmatch(value) is None


def _columns(text: str, removed: Counter[str]) -> str:
    """One line of a table or of a file whose columns are lined up, however many blanks stand between them."""
    parts = _BLANKS.split(text)
    last = max((at for at, part in enumerate(parts) if part.strip()), default=0)
    for at in range(0, len(parts) - 2, 2):
        name = _COLUMN_NAME.search(parts[at])
        if name is None or not looks_like_lead(parts[at], name.start()) or not is_secret_name(name["name"]):
            continue
        to = at + 2
        while to < len(parts) - 2 and _NO_CELL.fullmatch(parts[to]) is not None:
            to += 2
        if to >= last:
            parts[to] = _clean(parts[to], name["name"], removed, alone=kind_of(name["name"]) == "password")
    return "".join(parts)


def _clean(cell: str, name: str, removed: Counter[str], *, alone: bool = False) -> str:
    """A cell without its value, where that is mixed as secrets are. ``alone``: no headings stand beside the name."""
    begin, end = value_in(cell) or _phrase_in(cell, name)
    if end - begin < _SHORTEST or not (alone or _is_pair(name, cell[begin:end])):
        return cell
    return cell[:begin] + replaced(cell[begin:end], kind_of(name), removed, weak=True) + cell[end:]


def _phrase_in(cell: str, name: str) -> tuple[int, int]:
    """Where a password of several words stands."""
    begin, end = phrase_in(cell)
    return (begin, end) if kind_of(name) == "password" and is_phrase(cell[begin:end], name) else (0, 0)


def _is_pair(name: str, value: str) -> bool:
    """Are these the name of a secret and its value, and no headings of columns?"""
    return is_secret_name(name) and (not _SIGNS.isdisjoint(name) or not is_heading(value))

"""Secrets in tables: a name alone in its cell, and the value alone in the next (``| DB_PASSWORD | ... |``), with bars
or blanks between the columns."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.harmless import is_heading
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.over_lines.leads import looks_like_lead
from slowlink.redact.values import replaced

_BARS = ("|", "\u2502", "\u2503")
_BAR = regex("([" + "".join(_BARS) + "])")
_NAME = regex(r"\s{0,200}[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{1,100})[\"'`*]{0,2}\s{0,400}")
_VALUE = regex(r"\s{0,400}[\"'`*]{0,2}(?P<value>[^\s\"'`]{8,400})[\"'`*]{0,2}\s{0,400}")
"""A shorter one is the heading of a column as likely (``| token | p99 |``)."""
_ROW = regex(r"\s{0,20}\"?(?P<name>[A-Za-z][\w.-]{1,100})\"?[,;]\s{0,4}\"?(?P<value>[^\s\"',;]{8,400})\"?;?\s{0,4}")
"""A row of two cells: settings as CSV."""
_BLANKS = regex(r"([ ]{2,}|[ ]?\t[ \t]*)")
_COLUMN_NAME = regex(r"[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{1,100})[\"'`*]{0,2}$")
_NO_CELL = regex(r"-{1,3}|default")
"""What stands in the cell of a column that has nothing to say. Source: ``wwctl node list --all``, which has the profile
between a field and its value."""
_SIGNS = frozenset("_.")
"""A name of several words is no heading of other columns."""


def redact_cells(text: str, removed: Counter[str]) -> str:
    """One line without the values of such cells, where they are mixed as secrets are: headings stand side by side."""
    if (row := _ROW.fullmatch(text)) is not None and _is_pair(row["name"], row["value"]):
        begin, end = row.span("value")
        return text[:begin] + replaced(row["value"], kind_of(row["name"]), removed, weak=True) + text[end:]
    text = _columns(text, removed) if "  " in text or "\t" in text else text
    if not any(bar in text for bar in _BARS):
        return text
    parts = _BAR.split(text)
    for at in range(0, len(parts) - 2, 2):
        name, value = _NAME.fullmatch(parts[at]), _VALUE.fullmatch(parts[at + 2])
        if name is not None and value is not None and _is_pair(name["name"], value["value"]):
            begin, end = value.span("value")
            put = replaced(value["value"], kind_of(name["name"]), removed, weak=True)
            parts[at + 2] = parts[at + 2][:begin] + put + parts[at + 2][end:]
    return "".join(parts)


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
        value = _VALUE.fullmatch(parts[to]) if to >= last else None
        if value is None:
            continue
        if kind_of(name["name"]) == "password" or _is_pair(name["name"], value["value"]):
            begin, end = value.span("value")
            put = replaced(value["value"], kind_of(name["name"]), removed, weak=True)
            parts[to] = parts[to][:begin] + put + parts[to][end:]
    return "".join(parts)


def _is_pair(name: str, value: str) -> bool:
    """Are these the name of a secret and its value, and no headings of columns?"""
    return is_secret_name(name) and (not _SIGNS.isdisjoint(name) or not is_heading(value))

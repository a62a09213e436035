"""Secrets in tables: a name alone in its cell, and the value alone in the next (``| DB_PASSWORD | ... |``)."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.names import is_secret_name, kind_of
from slowlink.redact.values import replaced

_BARS = ("|", "\u2502", "\u2503")
_BAR = regex("([" + "".join(_BARS) + "])")
_NAME = regex(r"\s{0,200}[\"'`*]{0,2}(?P<name>[A-Za-z][\w.-]{1,100})[\"'`*]{0,2}\s{0,400}")
_VALUE = regex(r"\s{0,400}[\"'`*]{0,2}(?P<value>[^\s\"'`]{8,400})[\"'`*]{0,2}\s{0,400}")
"""A shorter one is the heading of a column as likely (``| token | p99 |``)."""
_HEADING = regex(r"[a-z]{2,20}\d{0,6}(?:[_/:-][a-z\d]{1,20}){1,4}")
"""Or a device, or a host."""
_SIGNS = frozenset("_.")
"""A name of several words is no heading of other columns."""


def redact_cells(text: str, removed: Counter[str]) -> str:
    """One line without the values of such cells, where they are mixed as secrets are: headings stand side by side."""
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


def _is_pair(name: str, value: str) -> bool:
    """Are these the name of a secret and its value, and no headings of columns?"""
    return is_secret_name(name) and (not _SIGNS.isdisjoint(name) or _HEADING.fullmatch(value) is None)

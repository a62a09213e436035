"""Make text from logs harmless to look at: what steers a terminal or deceives the eye is shown as it is."""

from __future__ import annotations

import operator
import re
import unicodedata
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

T = TypeVar("T")

_ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters by category, and blank on every screen."""
_SHORT = {"\n": "\\n", "\r": "\\r"}
_MAX_MARKS = 3
"""Combining marks on one letter; more of them only climb over the neighbouring lines."""


def _is_noncharacter(code: int) -> bool:
    return 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def _is_odd(char: str) -> bool:
    return unicodedata.category(char) in _ODD_CATEGORIES or char in _FILLERS or _is_noncharacter(ord(char))


def _code(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that was no UTF-8 and was carried along as a surrogate.
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def terminal_safe(text: str) -> str:
    r"""One line of text as it may be shown: ESC becomes ``\x1b``, a right-to-left override ``\u202e``.

    Control characters (C0, C1), format characters (bidi controls, zero-width), surrogates, private-use and
    noncharacters are written as escapes, line ends as ``\n``. A tab becomes spaces. Everything else stays.
    """
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    marks = 0
    for char in text.expandtabs(8) if "\t" in text else text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        out.append(_code(char) if _is_odd(char) or marks > _MAX_MARKS else char)
    return "".join(out)


def terminal_safe_lines(text: str) -> str:
    r"""As ``terminal_safe``, but line ends (``\n``, ``\r\n``) stay: a command may have several lines."""
    return "\n".join(terminal_safe(line) for line in text.replace("\r\n", "\n").split("\n"))


def cleaned(value: T) -> T:
    """A copy of a report, or of any part of it, in which every string has gone through ``terminal_safe``.

    Renderers start from this copy, so that none of them can forget a field. Only a remedy's command
    and snippet keep their lines.
    """
    return _clean(value)  # type: ignore[return-value]


def _clean(value: object) -> object:
    """``value`` itself where nothing in it has to be changed: a report of 100,000 inputs is mostly that."""
    if isinstance(value, str):
        return terminal_safe(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, (tuple, list)):
        items = [_clean(item) for item in value]
        if all(map(operator.is_, items, value)):
            return value
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return _clean_fields(value)


def _clean_fields(value: object) -> object:
    # Not above: a run's live rows need the plain text functions alone, before the ranks start.
    from slowlink.model.report import Remedy

    if isinstance(value, Remedy):
        return Remedy(terminal_safe(value.text), terminal_safe_lines(value.command), terminal_safe_lines(value.snippet))
    changed = {}
    if not isinstance(value, Struct):
        return value
    for name in value.__struct_fields__:
        old = getattr(value, name)
        new = _clean(old)
        if new is not old:
            changed[name] = new
    return replace(value, **changed) if changed else value


_FORMULA = r"[=+\-@\t\r\n']"
"""What a spreadsheet takes for a formula at the beginning of a cell, or drops there."""
_CELL_BEGINS = r"(?:^|(?<=[;\t]))([ \"]*)"
"""Where lists are written with semicolons (Excel in most of Europe) a cell begins behind each, quotes or none."""
_UNMARKED, _MARKED = re.compile(rf"{_CELL_BEGINS}(?={_FORMULA})"), re.compile(rf"{_CELL_BEGINS}'(?={_FORMULA})")


def for_spreadsheets(value: str) -> str:
    """``value`` of a cell of CSV with an apostrophe wherever a cell may begin like a formula.

    ``from_spreadsheets`` takes them back.
    """
    return _UNMARKED.sub(r"\1'", value)


def from_spreadsheets(value: str) -> str:
    return _MARKED.sub(r"\1", value)

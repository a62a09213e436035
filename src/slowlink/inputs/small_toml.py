"""The one reader of TOML that somebody else may have written: size, nesting and dotted keys are bounded."""

from __future__ import annotations

import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from slowlink.inputs.small_text import small_text
from slowlink.patterns import regex

_MOST_BYTES = 1 << 20
_MOST_DOTS = 64
"""In one line outside of text. Readers of TOML keep every beginning of a dotted key: 40 kB of them are 1.6 GB."""
_QUOTED = regex(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_SEVERAL_LINES = ('"""', "'''")


def small_toml(path: Path) -> dict[str, Any]:
    """The document of a TOML file. Raises OSError (also for one that is too large), UnicodeDecodeError, and ValueError
    for what is no TOML, nested too deeply, has a line of too many dots, or a number that is none (nan, inf)."""
    text = small_text(path, _MOST_BYTES)
    if _most_dots(text) > _MOST_DOTS:
        raise ValueError(f"it has a line of more than {_MOST_DOTS} dots")
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        document: dict[str, Any] = toml.loads(text, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return document


def _finite(text: str) -> float:
    """A number that can be compared with others: ``nan`` is in every bound, because it is outside of none."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number")
    return number


def _most_dots(text: str) -> int:
    """Of any line, outside of text. Where a text goes over several lines, no single line tells what is text."""
    lines = text.splitlines()
    if not any(mark in text for mark in _SEVERAL_LINES):
        lines = [_QUOTED.sub("", line) for line in lines if line.count(".") > _MOST_DOTS]
    return max((line.count(".") for line in lines), default=0)

"""Standard input, where there is one. A closed one is no empty one: what was to be read is not there."""

from __future__ import annotations

import sys
from typing import BinaryIO

from slowlink.errors import SlowlinkError

_CLOSED: list[bool] = []
"""Holds something where the null device stands for a standard input that came closed."""


def note_closed() -> None:
    """Standard input came closed; what stands in its place now is not it."""
    _CLOSED.append(True)


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises SlowlinkError (``input-not-readable``) where it is closed."""
    if _CLOSED:
        raise SlowlinkError(
            "standard input is closed", hint="give it something to read, or name a file", slug="input-not-readable"
        )
    return sys.stdin.buffer


def standard_input_text(most: int) -> str:
    """Its first ``most`` bytes as text. Raises SlowlinkError where it is closed."""
    return standard_input().read(most).decode("utf-8", "replace")

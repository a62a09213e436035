"""Answers of a screen or so: as many rows as fit, and where to go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import json

Row = TypeVar("Row")
_MOST_ROWS = 60
MOST_BYTES = 10_000
"""As JSON."""


def page(rows: Sequence[Row], skip: int) -> tuple[tuple[Row, ...], int | None]:
    """Rows from ``skip`` on, one at least where there is one; and the next ``skip``, None at the end."""
    taken: list[Row] = []
    room = MOST_BYTES
    for row in rows[skip : skip + _MOST_ROWS]:
        room -= len(json.encode(row))
        if room < 0 and taken:
            break
        taken.append(row)
    at = skip + len(taken)
    return tuple(taken), at if at < len(rows) else None

"""What one parser of the fabric makes of a text."""

from __future__ import annotations

from typing import Any

from feeding import feed


def said(parser: Any, text: str) -> list[tuple[str, str, object]]:
    """(part, attribute, value) of every reading."""
    return [(r.part.name, r.attribute, r.value) for r in feed(parser, text.splitlines())]

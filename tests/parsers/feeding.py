"""Feeds lines to a parser the way the scan does: wanted lines, and whatever follows while the parser is greedy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from slowlink.model.source import Line


def feed(parser_class: Any, lines: Iterable[str], source: str = "t", host: str | None = None) -> list[Any]:
    """All records of ``lines``, numbered from 1."""
    parser = parser_class()
    for number, text in enumerate(lines, 1):
        if parser_class.wants(text) or parser.greedy:
            parser.feed(Line(source, number, text, host=host))
    return list(parser.finish())

"""Reads texts of GPU tools: by one parser, and by all of them as the program does."""

from __future__ import annotations

from typing import Any

from feeding import feed

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read


def told(parser: Any, text: str) -> list[tuple[str, str, object]]:
    """(part, attribute, value) of every reading that ``parser`` gives."""
    return [(f"{r.part.kind} {r.part.name}".strip(), r.attribute, r.value) for r in feed(parser, text.splitlines())]


def unread(text: str) -> list[str]:
    """Lines that no parser took; every line is counted once."""
    sources = read([Input("t", None, [text.encode()])], workers=1).sources
    assert all(source.used + source.ignored + source.unread == source.lines for source in sources)
    return [ref.text for source in sources for ref in source.unread_samples]

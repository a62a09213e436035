"""Reads texts of tools as the program does, all parsers together, and says what came out of them."""

from __future__ import annotations

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading."""
    return [f"{r.attribute} {r.part.name} = {r.value}" for r in records(text).readings]


def unread(text: str) -> list[str]:
    """Lines that no parser took."""
    (source,) = records(text).sources
    return [ref.text for ref in source.unread_samples]


def invented(whole: str, lines: int, letters: int) -> set[str]:
    """Readings of ``whole``, cut within a line, that the whole text does not give. Those of the last line are not
    counted: a number that was cut is another number."""
    kept = whole.splitlines()[:lines]
    cut = records("\n".join([*kept[:-1], *(line[:letters] for line in kept[-1:])]))
    assert all(source.used + source.ignored + source.unread == source.lines for source in cut.sources)
    known = {(r.attribute, r.part, r.value) for r in records(whole).readings}
    return {r.attribute for r in cut.readings if r.ref.line < len(kept) and (r.attribute, r.part, r.value) not in known}

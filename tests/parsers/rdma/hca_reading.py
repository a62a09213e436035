"""Reads texts of HCAs through the whole reader: what they say, and which of their lines nobody read."""

from __future__ import annotations

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read


def records(text: str) -> Records:
    """All records of one text."""
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading, with the node where one is named."""
    return [
        f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}".replace("  ", " ")
        for r in records(text).readings
    ]


def unread(text: str) -> list[str]:
    """Lines that no parser claimed, without prompts' own ``#``: those are commands."""
    (source,) = records(text).sources
    return [ref.text for ref in source.unread_samples if not ref.text.startswith("#")]

"""Excerpts of logs through the whole reader: what the tests of all message tables share."""

from __future__ import annotations

from slowlink.inputs import Input
from slowlink.parsers.forms.message_table import MessageParser
from slowlink.parsers.reading.read import read

Event = tuple[str, str | None, int | None, dict[str, str], int]


def events_of(table: type[MessageParser], text: str) -> list[Event]:
    """(kind, host, rank, groups, count) of every event in ``text`` whose kind ``table`` knows, in order of lines."""
    kinds = {message.kind for message in table.messages}
    records = read([Input("job.log", None, [text.encode()])], workers=1)
    return [
        (event.kind, event.host, event.rank, dict(event.groups), event.count)
        for event in records.events
        if event.kind in kinds
    ]


def secondary_kinds(table: type[MessageParser], text: str) -> list[str]:
    """Kinds of the events that follow from another process's failure."""
    kinds = {message.kind for message in table.messages}
    records = read([Input("job.log", None, [text.encode()])], workers=1)
    return [event.kind for event in records.events if event.kind in kinds and event.secondary]

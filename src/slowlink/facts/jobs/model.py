"""One job of a heap: its records, and what to call it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from slowlink.model.records import Records
from slowlink.model.report import JobKind


class JobRecords(Struct, frozen=True):
    """Everything that belongs to one job, or to none."""

    label: str
    """``job 4711 on node[06-07], a/job.log``; "" where the whole input is one job."""
    kind: JobKind
    hosts: tuple[str, ...]
    sources: tuple[str, ...]
    """Of what is only about nodes, those that tell of this job's nodes are among them."""
    records: Records


class Entry(Struct, frozen=True, gc=False):
    """One record: the field of ``Records`` that holds it, and what it is a part of."""

    name: str
    record: Any
    source: str
    """The input that it was read from."""
    part: str
    """The input, or the lines of it that are one job's."""
    start: int = 0
    """The first of these lines; 0 for a whole input."""


def entries(records: Records) -> list[Entry]:
    """Every record; what became of the sources is no record."""
    found = []
    for name in Records.__struct_fields__:
        if name != "sources":
            for record in getattr(records, name):
                source = getattr(record, "source", None) or record.ref.source
                found.append(Entry(name, record, source, source))
    return found

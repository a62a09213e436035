"""One job of a heap: its records, and what to call it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from slowlink.model.records import Records
from slowlink.model.report import JobKind


@dataclass(frozen=True, slots=True)
class JobRecords:
    """Everything that belongs to one job, or to none."""

    label: str
    """``job 4711 on node[06-07], a/job.log``; "" where the whole input is one job."""
    kind: JobKind
    hosts: tuple[str, ...]
    sources: tuple[str, ...]
    """Of what is only about nodes, those that tell of this job's nodes are among them."""
    records: Records


def each_record(records: Records) -> Iterator[tuple[str, Any]]:
    """Every record with the name of its field; what became of the sources is no record."""
    for entry in fields(Records):
        if entry.name != "sources":
            for record in getattr(records, entry.name):
                yield entry.name, record


def source_of(record: Any) -> str:
    """The input that a record was read from."""
    source = getattr(record, "source", None)
    return str(source if source is not None else record.ref.source)

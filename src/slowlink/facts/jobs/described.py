"""What documents only describe, apart from what happened: its records lie on lines that accuse nobody."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from slowlink.facts.jobs.cut import line_of, parted_log
from slowlink.model.job import JobEvent, Observation
from slowlink.model.nccl import NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Passage

_WORDS = ("gpu-mentioned", "nics-mentioned")
"""Of hardware one talks in sentences; what these say holds for what was pasted below them."""


class Described:
    """Which lines only describe."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._of: dict[str, list[Passage]] = {}
        for each in sorted(passages, key=lambda passage: (passage.ref.source, passage.ref.line)):
            self._of.setdefault(each.ref.source, []).append(each)

    def has(self, source: str, line: int) -> bool:
        """Does this line only describe?"""
        passages = self._of.get(source, ())
        at = bisect_right(passages, line, key=lambda passage: passage.ref.line)
        return at > 0 and line <= passages[at - 1].last


def without_described(records: Records) -> tuple[Records, Records | None]:
    """The records of what happened, and those of what is only described; None where there are none of these."""
    if not records.passages:
        return records, None
    described = Described(records.passages)
    told: dict[str, list[Any]] = {}
    quoted: dict[str, list[Any]] = {}
    for name in Records.__struct_fields__:
        if name not in ("sources", "passages"):
            for record in getattr(records, name):
                for is_described, part in _parts(record, described).items():
                    (quoted if is_described else told).setdefault(name, []).append(part)
    if not quoted:
        return replace(records, passages=()), None
    return _made(told, records), _made(quoted, records)


def _parts(record: Any, described: Described) -> Mapping[bool, Any]:
    if isinstance(record, NcclLog):
        return parted_log(record, lambda _, line: described.has(record.source, line))
    if isinstance(record, JobEvent) and record.count > 1:  # the lines that repeat it may be of what happened
        return {False: record}
    if isinstance(record, Observation) and record.kind in _WORDS:
        return {False: record}
    source = getattr(record, "source", None) or record.ref.source
    return {described.has(source, line_of(record)): record}


def _made(found: Mapping[str, Sequence[Any]], records: Records) -> Records:
    return Records(**{name: tuple(each) for name, each in found.items()}, sources=records.sources)

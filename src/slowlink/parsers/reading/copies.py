"""Copies of one input: ``job.log`` beside ``job.log.gz``, a folder beside its archive, one path given twice.

A copy counts once: read twice, four channels would be eight. Equal bytes alone do not show a copy, since two nodes may
well print the same few lines. They do where their names say the same, or where the content cannot repeat by chance:
NCCL's lines carry process ids, and no two runs of a benchmark take the same times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.blocks import Block
from slowlink.model.nccl import NcclLog
from slowlink.model.source import SourceStats
from slowlink.model.state import Origin
from slowlink.parsers.forms.interface import Record
from slowlink.patterns import regex

_PACKED = regex(r"(?:\.(?:gz|zst|xz|bz2|tar|zip|tgz|txz|tbz2?|tzst))+$")
T = TypeVar("T")
_TIMES = 3
"""So many measured times of a table are never the same again."""


class Copies(Struct):
    """Tells a copy from an input that was read before."""

    _named: dict[tuple[bytes, str], str] = field(default_factory=dict)
    """Digest of the content and plain name -> the first input of that name."""
    _unique: dict[bytes, str] = field(default_factory=dict)
    """Digest of content that stands only once in the world -> the first input with it."""

    def original(self, name: str, digest: bytes, records: Collection[Record | Block]) -> str | None:
        """The input that this one is a copy of; None, and remembered, where it is the first."""
        key = digest, plain_name(name)
        found = self._named.get(key) or self._unique.get(digest)
        if found is None:
            self._named[key] = name
            unique: list[NcclLog | CollectiveRun] = [*_of(records, NcclLog), *_of(records, CollectiveRun)]
            if any(map(_cannot_repeat, unique)):
                self._unique[digest] = name
        return found


def without_copies(
    read: Sequence[tuple[Sequence[Record | Block], SourceStats]],
) -> Iterator[tuple[Sequence[Record | Block], SourceStats]]:
    """The records of each input, none of a copy. What one bundle recorded apart is no copy, however alike it is."""
    captured = {record.source for found, _ in read for record in _of(found, Origin)}
    for found, stats in read:
        if stats.copy_of is None or _of_one_bundle(stats.path, stats.copy_of, captured):
            yield found, replace(stats, copy_of=None)
        else:
            yield [], stats


def _of_one_bundle(name: str, other: str, captured: AbstractSet[str]) -> bool:
    apart = plain_name(name) != plain_name(other) and {name, other} <= captured
    return apart and name.partition("!")[0] == other.partition("!")[0]


def _of(records: Collection[Record | Block], kind: type[T]) -> list[T]:
    """Those of this type; the answers of nodes have thousands of others."""
    return [record for record in records if isinstance(record, kind)] if kind in map(type, records) else []


def plain_name(name: str) -> str:
    """The name without what packing adds: ``logs.tar.gz!logs/job.log`` and ``logs/job.log.gz`` are ``logs/job.log``."""
    parts: list[str] = []
    for part in name.replace("!", "/").split("/"):
        bare = _PACKED.sub("", part) or part
        if bare != "." and (not parts or bare != parts[-1]):
            parts.append(bare)
    return "/".join(parts)


def _cannot_repeat(record: NcclLog | CollectiveRun) -> bool:
    if isinstance(record, NcclLog):
        return any(process.host is not None and process.pid is not None for process in record.processes)
    return sum(1 for point in record.points if point.time_us) >= _TIMES

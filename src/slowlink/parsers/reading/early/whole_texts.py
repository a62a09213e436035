"""Texts of formats that are read whole, as binary ones are: by a ``BINARY`` that says so (``of_text``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from slowlink.inputs import Input
from slowlink.model.source import SourceStats
from slowlink.parsers import binary_parsers
from slowlink.parsers.forms.interface import BinaryParser, Record
from slowlink.parsers.forms.limit import Limit, Room, kept_in, not_all_kept

_START_BYTES = 64
_BEGINNINGS = (b"{", b" ", b"\n", b"\r", b"<", b"level,", b"id,", b"collective,")
"""One of them has every such text: of the others nobody is asked."""


def whole_text_reader(start: bytes) -> type[BinaryParser] | None:
    """Who reads a text that begins so; nearly always nobody."""
    if not start.startswith(_BEGINNINGS):
        return None
    units = (unit for unit in binary_parsers() if unit.of_text)
    return next((unit for unit in units if unit.wants_start(start[:_START_BYTES])), None)


def read_whole_text(unit: type[BinaryParser], item: Input, pieces: Iterator[bytes]) -> tuple[list[Record], SourceStats]:
    """Its records. Lines of which none was read hold other things that the format has, and are passed over."""
    reader: Any = unit()
    passed: list[Limit] = []
    counted = _Counted(pieces)
    with kept_in(Room(passed.append)):
        found, why = reader.read(counted, item.name)
    why = why or next((not_all_kept(limit, unit.kind) for limit in passed), None)
    lines, used = reader.lines, min(reader.used, reader.lines)
    stats = SourceStats(
        path=item.name,
        kinds=(unit.kind,),
        size_bytes=counted.size,
        lines=lines,
        used=used,
        ignored=lines - used,
        unread=0,
        problem=item.problem or why or (unit.otherwise if not found else None),
        partial=item.partial or why is not None,
    )
    return found, stats


class _Counted:
    """Pieces of bytes, and how many bytes they were."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._pieces)
        self.size += len(piece)
        return piece

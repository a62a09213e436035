"""Which shared libraries a program asks for, read from the file itself (System V ABI, gABI chapter 5).

``ldd`` runs the program's loader; a benchmark that somebody else built is only looked at.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from msgspec import Struct

_MAGIC = b"\x7fELF"
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRING_TABLE, _STRING_SIZE = 1, 5, 10
_MOST = 1 << 20
"""Bytes of a dynamic section or string table; real ones are a few KiB."""


class _Segment(Struct, frozen=True):
    kind: int
    offset: int
    address: int
    size: int


def needed_libraries(file: BinaryIO) -> tuple[str, ...] | None:
    """Names as the program asks for them (``libmpi.so.40``); empty for a static program, None for no ELF file."""
    try:
        return _needed(file)
    except (struct.error, OSError, ValueError, OverflowError):
        return None


def _needed(file: BinaryIO) -> tuple[str, ...] | None:
    head = _at(file, 0, 64)
    if len(head) < 52 or head[:4] != _MAGIC or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    wide, order = head[4] == 2, "<" if head[5] == 1 else ">"
    segments = _segments(file, head, order, wide=wide)
    dynamic = next((s for s in segments if s.kind == _DYNAMIC), None)
    if dynamic is None:
        return ()
    entry = struct.Struct(order + ("qQ" if wide else "iI"))
    raw = _at(file, dynamic.offset, min(dynamic.size, _MOST))
    entries = [entry.unpack_from(raw, at) for at in range(0, len(raw) - entry.size + 1, entry.size)]
    table = next((value for tag, value in entries if tag == _STRING_TABLE), None)
    size = next((value for tag, value in entries if tag == _STRING_SIZE), 0)
    place = next((s for s in segments if s.kind == _LOAD and s.address <= (table or 0) < s.address + s.size), None)
    if table is None or place is None:
        return ()
    strings = _at(file, place.offset + table - place.address, min(size, _MOST))
    offsets = [value for tag, value in entries if tag == _NEEDED and value < len(strings)]
    return tuple(strings[at : strings.find(b"\0", at)].decode("utf-8", "replace") for at in offsets)


def _segments(file: BinaryIO, head: bytes, order: str, *, wide: bool) -> list[_Segment]:
    start = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)[0]
    size, count = struct.unpack_from(order + "HH", head, 54 if wide else 42)
    found = []
    for index in range(count):
        raw = _at(file, start + index * size, size)
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", raw)
        else:
            kind, offset, address, _, length = struct.unpack_from(order + "IIIII", raw)
        found.append(_Segment(kind, offset, address, length))
    return found


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)

"""Sparse files in tar archives: data with a map of where it goes, and NUL bytes between.

Source of the layouts: the GNU tar manual, "Sparse Formats" (old GNU; pax 0.0, 0.1 and 1.0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from slowlink.inputs.stream import PIECE, Budget, ByteStream, DamagedError

BLOCK = 512
MOST_SEGMENTS = 50_000
"""A file in more pieces is not read."""
_ENTRY_BYTES, _IN_HEADER, _IN_BLOCK = 24, 4, 21
_LONGEST_NUMBER = 20

Segments = list[tuple[int, int]]
"""(where it goes, how many bytes), in order."""


def old_map(header: bytes, stream: ByteStream, number: Callable[[bytes], int | None]) -> tuple[Segments, int]:
    """Segments and real size of a member of kind ``S``: in its header, and in blocks that follow it.

    ``number`` reads a field. Raises DamagedError.
    """
    entries, more = header[386:482], header[482]
    while more:
        block = stream.read(BLOCK)
        if len(block) < BLOCK:
            raise DamagedError("truncated archive")
        entries, more = entries + block[: _IN_BLOCK * _ENTRY_BYTES], block[504]
        if len(entries) > MOST_SEGMENTS * _ENTRY_BYTES:
            raise DamagedError(f"holds a sparse file in more than {MOST_SEGMENTS} pieces")
    fields = [entries[at : at + 12] for at in range(0, len(entries), 12)]
    numbers = [number(field) for field in fields]
    size = number(header[483:495])
    known = [value for value in (*numbers, size) if value is not None]
    if len(known) <= len(numbers):
        raise DamagedError("damaged map of a sparse file")
    return _pairs([value for value, field in zip(known, fields, strict=False) if field.strip(b"\0")]), known[-1]


def is_sparse(pax: Mapping[str, str]) -> bool:
    """Do these records of an extended header tell of a sparse file?"""
    return "GNU.sparse.major" in pax or "GNU.sparse.size" in pax


def pax_map(pax: Mapping[str, str], data: ByteStream) -> tuple[Segments, int]:
    """Segments and real size as an extended header tells them, or, from version 1.0 on, the beginning of ``data``.

    Raises DamagedError.
    """
    size = _decimal(pax.get("GNU.sparse.realsize") or pax.get("GNU.sparse.size") or "")
    if "GNU.sparse.major" in pax:
        return _map_in_data(data), size
    if "GNU.sparse.map" in pax:
        return _pairs([_decimal(text) for text in pax["GNU.sparse.map"].split(",") if text]), size
    places, lengths = (pax.get(f"GNU.sparse.{key}", "").split(",") for key in ("offset", "numbytes"))
    return [(_decimal(place), _decimal(length)) for place, length in zip(places, lengths, strict=False) if place], size


def _map_in_data(data: ByteStream) -> Segments:
    """Decimal numbers, one a line: how many segments, then place and length of each; padded to a block."""
    text, wanted = b"", 1
    numbers: list[int] = []
    while len(numbers) < wanted:
        block = data.read(BLOCK)
        if len(block) < BLOCK:
            raise DamagedError("truncated archive")
        *lines, text = (text + block).split(b"\n")
        numbers += [_decimal(line.decode("ascii", "replace")) for line in lines]
        if len(text.rstrip(b"\0")) > _LONGEST_NUMBER or not numbers:
            raise DamagedError("damaged map of a sparse file")
        wanted = 1 + 2 * numbers[0]
        if numbers[0] > MOST_SEGMENTS:
            raise DamagedError(f"holds a sparse file in more than {MOST_SEGMENTS} pieces")
    return _pairs(numbers[1:wanted])


def _pairs(numbers: Sequence[int]) -> Segments:
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def _decimal(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER):
        raise DamagedError("damaged map of a sparse file")
    return int(text)


def expanded(data: ByteStream, segments: Segments, size: int, budget: Budget) -> Iterator[bytes]:
    """The file as it was: ``data`` at its places, NUL bytes between, which ``budget`` bounds. Raises DamagedError."""
    at = 0
    for place, length in segments:
        if place < at or place + length > size:
            raise DamagedError("damaged map of a sparse file")
        yield from _zeros(place - at, budget)
        yield from data.take(length)
        at = place + length
    yield from _zeros(size - at, budget)
    if data.peek(1):
        raise DamagedError("damaged map of a sparse file")


def _zeros(count: int, budget: Budget) -> Iterator[bytes]:
    while count:
        length = min(count, PIECE)
        budget.hole(length)
        yield bytes(length)
        count -= length

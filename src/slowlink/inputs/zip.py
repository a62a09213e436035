"""Zip members from a stream, by their local headers, so that a pipe or a truncated archive works too.

Source of the layout: PKWARE APPNOTE 6.3, sections 4.3.7 (local header), 4.3.9 (descriptor), 4.3.12 to 4.3.16 (what
follows the members), 4.4.5 (methods), 4.5.3 (zip64), 5.8 (LZMA).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from slowlink.inputs.holes import skip_zeros
from slowlink.inputs.stream import LONGEST_NAME, Budget, ByteStream, DamagedError
from slowlink.inputs.unpack import Unpacker, bzip2, inflate, lzma_alone, run, xz, zstd

LOCAL = b"PK\x03\x04"
DESCRIPTOR = b"PK\x07\x08"
_AFTER_MEMBERS: dict[bytes, tuple[int, str]] = {
    b"PK\x01\x02": (46, "<28xHHH12x"),
    b"PK\x05\x05": (6, "<4xH"),
    b"PK\x06\x06": (12, "<4xQ"),
    b"PK\x06\x07": (20, "<20x"),
    b"PK\x06\x08": (8, "<4xI"),
    b"PK\x05\x06": (22, "<20xH"),
}
"""What may follow the members: a member of the directory, its signature, its zip64 end and where that is, extra data,
its end. How long the fixed part of each is, and where it tells what follows it."""
STORED, LZMA = 0, 14
ENCRYPTED, ENDS_WITH_MARK, DESCRIBED_AFTER, UTF8 = 0x1, 0x2, 0x8, 0x800
_METHODS: dict[int, Callable[[], Unpacker]] = {8: inflate, 12: bzip2, LZMA: lzma_alone, 93: zstd, 95: xz}
_NAMES = {1: "shrink", 6: "implode", 9: "deflate64", 97: "WavPack", 98: "PPMd", 99: "AES encryption"}
_LZMA_HEAD_BYTES, _LZMA_PROPERTIES = 4, 5

Member = tuple[str, "int | None", ByteStream, "str | None"]


class _Header(NamedTuple):
    """The local header of a member."""

    name: str
    flags: int
    method: int
    checksum: int
    packed: int
    unpacked: int

    @property
    def knows_sizes(self) -> bool:
        return not self.flags & DESCRIBED_AFTER


def is_zip(stream: ByteStream) -> bool:
    """Does a local file header (or an empty archive's end record) stand here?"""
    return stream.peek(4) in (LOCAL, b"PK\x05\x06")


def zip_members(stream: ByteStream, budget: Budget) -> Iterator[Member]:
    """(name, size, bytes, problem) of each file. Read each before asking for the next; its rest is skipped.

    ``problem`` names a member that cannot be read (encrypted, a method that we do not know). Raises DamagedError where
    the archive ends early, stops being one, or has something else behind it.
    """
    if stream.peek(4) != LOCAL:
        _pass_directory(stream)
    while stream.peek(4) == LOCAL:
        header = _header(stream)
        budget.member()
        if why := _objection(header):
            yield header.name, None, ByteStream(iter(())), why
            if not header.knows_sizes:
                raise DamagedError(f"cannot find the member after {header.name}")
            body = ByteStream(stream.take(header.packed))
        else:
            body = ByteStream(_plain(header, stream, budget))
            if not header.name.endswith("/"):
                size = header.unpacked if header.knows_sizes else None
                yield header.name, size, ByteStream(_checked(body, header)), None
        for _ in body:
            pass
        if not header.knows_sizes:
            _skip_descriptor(stream)
        if stream.peek(4) != LOCAL:
            _pass_directory(stream)


def _header(stream: ByteStream) -> _Header:
    fixed = stream.read(30)
    if len(fixed) < 30:
        raise DamagedError("truncated archive")
    flags, method = struct.unpack_from("<HH", fixed, 6)
    checksum, packed, unpacked, name_length, extra_length = struct.unpack_from("<IIIHH", fixed, 14)
    name = stream.read(name_length).decode("utf-8" if flags & UTF8 else "cp437", "replace")[:LONGEST_NAME]
    packed, unpacked = _zip64_size(stream.read(extra_length), packed, unpacked)
    return _Header(name, flags, method, checksum, packed, unpacked)


def _zip64_size(extra: bytes, packed: int, unpacked: int) -> tuple[int, int]:
    """Sizes with the zip64 field in place of 0xffffffff."""
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, at)
        if tag == 1 and length >= 16 and at + 20 <= len(extra):
            wide_unpacked, wide_packed = struct.unpack_from("<QQ", extra, at + 4)
            return (
                wide_packed if packed == 0xFFFFFFFF else packed,
                wide_unpacked if unpacked == 0xFFFFFFFF else unpacked,
            )
        at += 4 + length
    return packed, unpacked


def _objection(header: _Header) -> str:
    """Why this member is not read; "" where it is."""
    if header.flags & ENCRYPTED:
        return "encrypted, not read"
    if header.method == STORED:
        return "" if header.knows_sizes else "stored without its length, not read"
    if header.method in _METHODS:
        return ""
    name = f" ({_NAMES[header.method]})" if header.method in _NAMES else ""
    return f"packed with zip method {header.method}{name}, not read (unpack it first)"


def _plain(header: _Header, stream: ByteStream, budget: Budget) -> Iterator[bytes]:
    """The bytes of a member as they were before they were packed."""
    if header.method == STORED:
        yield from stream.take(header.packed)
        return
    if header.method == LZMA:
        stream.push_back(_lzma_head(header, stream))
    yield from run(_METHODS[header.method](), stream, budget, "zip")


def _lzma_head(header: _Header, stream: ByteStream) -> bytes:
    """What stands before a member's LZMA data, in the words of ``.lzma``: the same properties, and a length."""
    head = stream.read(_LZMA_HEAD_BYTES + _LZMA_PROPERTIES)
    if len(head) < _LZMA_HEAD_BYTES + _LZMA_PROPERTIES or head[2:4] != b"\x05\x00":
        raise DamagedError("damaged zip data: no LZMA header")
    unknown = header.flags & ENDS_WITH_MARK or not header.knows_sizes
    return head[_LZMA_HEAD_BYTES:] + ((1 << 64) - 1 if unknown else header.unpacked).to_bytes(8, "little")


def _checked(body: ByteStream, header: _Header) -> Iterator[bytes]:
    """``body``, and behind it whether it is what was packed."""
    found = 0
    for piece in body:
        found = zlib.crc32(piece, found)
        yield piece
    if header.knows_sizes and found != header.checksum:
        raise DamagedError("damaged zip data: its checksum is another")


def _skip_descriptor(stream: ByteStream) -> None:
    """The sizes after a member whose header left them out; 32 or 64 bit wide, its signature is optional."""
    start = stream.peek(28)
    for length in (16, 24, 12, 20):
        if length in (16, 24) and not start.startswith(DESCRIPTOR):
            continue
        if start[length : length + 2] == b"PK":
            stream.read(length)
            return
    stream.read(16 if start.startswith(DESCRIPTOR) else 12)


def _pass_directory(stream: ByteStream) -> None:
    """Go behind the directory, where another archive may follow. Raises DamagedError for whatever else does, and where
    there is none: members may be missing."""
    if stream.peek(4) not in _AFTER_MEMBERS:
        raise DamagedError("damaged archive" if len(stream.peek(4)) == 4 else "truncated archive")
    while (known := _AFTER_MEMBERS.get(stream.peek(4))) is not None:
        length, form = known
        fixed = stream.read(length)
        if len(fixed) < length:
            raise DamagedError("truncated archive")
        for _ in stream.take(sum(struct.unpack(form, fixed))):
            pass
    skip_zeros(stream)
    if stream.peek(4) != LOCAL and stream.peek(1):
        raise DamagedError("something else follows the archive; that part was not read")

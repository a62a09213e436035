"""Zip members from a stream, by their local headers, so that a pipe or a truncated archive works too.

Source of the layout: PKWARE APPNOTE 6.3, sections 4.3.7 (local header), 4.3.9 (descriptor), 4.5.3 (zip64).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from slowlink.inputs.stream import Budget, ByteStream, DamagedError
from slowlink.inputs.unpack import inflate, run

LOCAL = b"PK\x03\x04"
DESCRIPTOR = b"PK\x07\x08"
_AFTER_MEMBERS = (b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x08")
"""What may follow the members: the directory, its end, its zip64 end, extra data."""
STORED, DEFLATED = 0, 8
ENCRYPTED, DESCRIBED_AFTER, UTF8 = 0x1, 0x8, 0x800

Member = tuple[str, "int | None", ByteStream, "str | None"]


def is_zip(stream: ByteStream) -> bool:
    """Does a local file header (or an empty archive's end record) stand here?"""
    return stream.peek(4) in (LOCAL, b"PK\x05\x06")


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


def zip_members(stream: ByteStream, budget: Budget) -> Iterator[Member]:
    """(name, size, bytes, problem) of each file. Read each before asking for the next; its rest is skipped.

    ``problem`` names a member that cannot be read (encrypted, a method that is not deflate). Raises
    DamagedError where the archive ends early or stops being one.
    """
    while stream.peek(4) == LOCAL:
        header = stream.read(30)
        if len(header) < 30:
            raise DamagedError("truncated archive")
        flags, method = struct.unpack_from("<HH", header, 6)
        packed, unpacked, name_length, extra_length = struct.unpack_from("<IIHH", header, 18)
        raw_name = stream.read(name_length)
        packed, unpacked = _zip64_size(stream.read(extra_length), packed, unpacked)
        name = raw_name.decode("utf-8" if flags & UTF8 else "cp437", "replace")
        budget.member()
        known = not flags & DESCRIBED_AFTER
        if flags & ENCRYPTED or method not in (STORED, DEFLATED) or (method == STORED and not known):
            why = "encrypted" if flags & ENCRYPTED else f"zip method {method} is not supported"
            yield name, None, ByteStream(iter(())), why
            if not known:
                raise DamagedError(f"cannot find the member after {name}")
            rest: Callable[[], Iterator[bytes]] = lambda: stream.take(packed)  # noqa: B023, E731
        elif method == STORED:
            body = ByteStream(stream.take(packed))
            if not name.endswith("/"):
                yield name, unpacked, body, None
            rest = body.__iter__
        else:
            body = ByteStream(run(inflate(), stream, budget, "zip"))
            if not name.endswith("/"):
                yield name, unpacked if known else None, body, None
            rest = body.__iter__
        for _ in rest():
            pass
        if not known:
            _skip_descriptor(stream)
    if stream.peek(4) not in _AFTER_MEMBERS:
        raise DamagedError("damaged archive" if len(stream.peek(4)) == 4 else "truncated archive")

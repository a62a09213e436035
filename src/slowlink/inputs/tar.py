"""Tar members from a stream. Only regular files are read; names are labels, so none can climb out.

Own reader: the standard library's loads a long-name or pax record of any stated size into memory.
Source of the layout: POSIX.1-2017 pax, and the GNU tar manual ("Basic Tar Format").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from slowlink.inputs.sparse import BLOCK, expanded, is_sparse, old_map, pax_map
from slowlink.inputs.stream import LONGEST_NAME, Budget, ByteStream, DamagedError

RECORD_LIMIT_BYTES = 1 << 20
"""Longest pax or long-name record that is read; longer ones are passed over."""
_REPEATED = ("GNU.sparse.offset", "GNU.sparse.numbytes")
"""Keys of an extended header of which each value counts."""


def _number(field: bytes) -> int | None:
    """Octal text, or GNU's base-256 where the first bit is set."""
    if field[:1] in (b"\x80", b"\xff"):
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else None
    digits = field.strip(b" \0")
    if not digits:
        return 0
    if not digits.isdigit() or b"8" in digits or b"9" in digits:
        return None
    return int(digits, 8)


def _is_header(block: bytes) -> bool:
    if len(block) < BLOCK or not block[0]:
        return False
    stated = _number(block[148:156])
    return stated is not None and stated == sum(block[:148]) + 8 * 32 + sum(block[156:])


def is_tar(stream: ByteStream) -> bool:
    """Does a tar header with a right checksum stand here?"""
    return _is_header(stream.peek(BLOCK))


def _pax(record: bytes) -> dict[str, str]:
    """``<length> <key>=<value>`` lines; the length counts itself."""
    values: dict[str, str] = {}
    at = 0
    while at < len(record):
        blank = record.find(b" ", at, at + 20)
        if blank < 0 or not record[at:blank].isdigit():
            break
        end = at + int(record[at:blank])
        if end <= blank:
            break
        key, _, value = (
            part.decode("utf-8", "replace") for part in record[blank + 1 : end].rstrip(b"\n").partition(b"=")
        )
        values[key] = f"{values[key]},{value}" if key in values and key in _REPEATED else value
        at = end
    return values


def _name(block: bytes) -> str:
    name = block[:100].split(b"\0", 1)[0]
    prefix = block[345:500].split(b"\0", 1)[0] if block[257:263] == b"ustar\0" else b""
    return (prefix + b"/" + name if prefix else name).decode("utf-8", "replace")


def _record(stream: ByteStream, size: int) -> bytes:
    kept = b"".join(stream.take(size)) if size <= RECORD_LIMIT_BYTES else b""
    if size > RECORD_LIMIT_BYTES:
        _skip(stream, size)
    _skip(stream, -size % BLOCK)
    return kept


def _skip(stream: ByteStream, count: int) -> None:
    for _ in stream.take(count):
        pass


_OTHER_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
}
_NO_DATA = b"12345 6"
_NO_FILES = b"5gKVDNX"
"""Folders; records for all members, of long link names, a label, listings, and of programs before POSIX."""
_SPARSE, _CONTINUED = b"S", b"M"


def tar_members(
    stream: ByteStream, budget: Budget, pass_over: Callable[[str, str], None] | None = None
) -> Iterator[tuple[str, int, ByteStream]]:
    """(name, size, bytes) of each file; a kind that POSIX leaves open is a regular file, as it asks for. Read each
    before asking for the next; its rest is skipped.

    ``pass_over`` is told name and kind of each link, device and the like.
    Raises DamagedError where the archive ends early or stops being one.
    """
    long_name: str | None = None
    pax: dict[str, str] = {}
    ended = False
    while block := stream.read(BLOCK):
        if ended := not any(block):
            continue
        size = _number(block[124:136]) if _is_header(block) else None
        if size is None:
            raise DamagedError("damaged tar header" if len(block) == BLOCK else "truncated archive")
        kind = block[156:157]
        if kind == b"L":
            long_name = _record(stream, size).rstrip(b"\0").decode("utf-8", "replace") or None
            continue
        if kind == b"x":
            pax = _pax(_record(stream, size))
            continue
        name = (pax.get("GNU.sparse.name") or pax.get("path") or long_name or _name(block))[:LONGEST_NAME]
        if kind in _OTHER_KINDS:
            budget.member()
            if pass_over is not None:
                pass_over(name, _OTHER_KINDS[kind])
            _skip(stream, 0 if kind in _NO_DATA else size + -size % BLOCK)
        elif kind in _NO_FILES:
            _skip(stream, 0 if kind in _NO_DATA else size + -size % BLOCK)
        else:
            budget.member()
            stated = pax.get("size", "")
            size = int(stated) if stated.isdecimal() and len(stated) < 20 else size
            yield from _file(name, block, pax, stream, size, budget)
        long_name, pax = None, {}
    if not ended:
        raise DamagedError("the archive has no end mark: it may be cut")


def _file(
    name: str, header: bytes, pax: Mapping[str, str], stream: ByteStream, size: int, budget: Budget
) -> Iterator[tuple[str, int, ByteStream]]:
    """The member that ``header`` tells of, whose ``size`` bytes follow in ``stream``."""
    kind = header[156:157]
    old = old_map(header, stream, _number) if kind == _SPARSE else None
    packed = ByteStream(stream.take(size))
    if old is not None:
        yield name, old[1], ByteStream(expanded(packed, *old, budget))
    elif is_sparse(pax):
        yield name, size, ByteStream(_sparse(packed, pax, budget))
    elif kind == _CONTINUED:
        yield name, size, ByteStream(_and_then(packed, "it begins in another volume of the archive, which is not here"))
    else:
        yield name, size, packed
    for _ in packed:
        pass
    _skip(stream, -size % BLOCK)


def _sparse(packed: ByteStream, pax: Mapping[str, str], budget: Budget) -> Iterator[bytes]:
    yield from expanded(packed, *pax_map(pax, packed), budget)


def _and_then(body: ByteStream, why: str) -> Iterator[bytes]:
    """``body``, and behind it that something is missing."""
    yield from body
    raise DamagedError(why)

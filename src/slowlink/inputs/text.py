"""Is it text, and in which encoding? Everything leaves here as UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain

from slowlink.inputs import joined, letters
from slowlink.inputs.cast import played
from slowlink.inputs.disguise import HEAD_BYTES, undisguised
from slowlink.inputs.enclosed import Enclosures
from slowlink.inputs.holes import shut, without_holes
from slowlink.inputs.kinds import Kind, kind_of, unknown
from slowlink.inputs.mended import mended
from slowlink.inputs.no_text import told_no_text
from slowlink.inputs.stream import ByteStream, DamagedError
from slowlink.inputs.wrapped import unwrapped

SNIFF_BYTES = 8192
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r\x1b\b\x07")
_CONTROLS = bytes(code for code in range(32) if code not in _TEXT_CONTROLS)


def _utf16(start: bytes) -> str | None:
    if start.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if start.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    half = len(start) // 2
    if half >= 8:
        for encoding, zeros, letters in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
            if start[zeros::2].count(0) > 0.9 * half and start[letters::2].count(0) < 0.05 * half:
                return encoding
    return None


def binary_kind(stream: ByteStream, name: str = "") -> Kind | None:
    """What it is that begins like no text does; None for a text. ``name`` tells what data of no known kind may be."""
    start = stream.peek(SNIFF_BYTES)
    known = kind_of(start, name)
    if known is not None or _utf16(start):
        return known
    return unknown(name) if _is_binary(without_holes(start)) else None


def _is_binary(start: bytes) -> bool:
    """Text has few control characters, or few bytes that are no UTF-8; what is packed or encrypted has both. NUL bytes
    alone, fewer than there is text, are padding."""
    zeros = start.count(0)
    size = len(start) - zeros
    odd = size - len(start.translate(None, _CONTROLS))
    strange = len(start) - len(start.decode("utf-8", "ignore").encode())
    some = odd * 50 > size
    return zeros > size or odd * 10 > size or (some and (strange * 10 > size or (odd + zeros) * 10 > len(start)))


def text_of(stream: ByteStream, skipped: int = 0, enclosures: Enclosures | None = None) -> Iterator[bytes]:
    """The text of ``stream`` as UTF-8, without holes and without what pages and editors did to it; what is neither
    UTF-8 nor UTF-16 passes as it is. ``skipped`` bytes of a hole stood before it. What it holds in Base64 is in
    ``enclosures`` when it has ended.

    Raises DamagedError behind the text where there were holes, or something packed.
    """
    printed = played(shut(told_no_text(_decoded(stream)), skipped))
    whole = unwrapped(printed, Enclosures() if enclosures is None else enclosures)
    pieces = mended(whole, letters.with_letters, letters.BEGUN)
    pieces = mended(pieces, joined.apart, joined.BEGUN)
    head: list[bytes] = []
    held, problem = 0, None
    try:
        for piece in pieces:
            head.append(piece)
            held += len(piece)
            if held >= HEAD_BYTES:
                break
    except (DamagedError, OSError) as broken:
        problem = broken  # what was readable counts
    start = b"".join(head)
    yield from undisguised(chain([start], () if problem else pieces), start[:HEAD_BYTES])
    if problem is not None:
        raise problem


def _decoded(stream: ByteStream) -> Iterator[bytes]:
    encoding = _utf16(stream.peek(SNIFF_BYTES))
    if encoding is None:
        if stream.peek(3) == codecs.BOM_UTF8:
            stream.read(3)
        yield from stream
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    first = True
    for piece in stream:
        text = decoder.decode(piece)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        yield text.encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")

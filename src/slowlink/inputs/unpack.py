"""Compressed streams by their first bytes, never by their names. A damaged one gives what it held so far."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from slowlink.inputs.stream import PIECE, Budget, ByteStream, DamagedError

XZ_MEMORY_BYTES = 256 << 20
ZSTD_WINDOW_BYTES = 1 << 27


class _Unpacker(Protocol):
    """What the decompressors of the standard library have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def unpack(self, data: bytes) -> Iterator[bytes]:
        """Bytes for ``data``, in pieces of bounded size."""


class _Zlib:
    """gzip and deflate: bounded by ``max_length`` and the unconsumed tail."""

    def __init__(self, window_bits: int) -> None:
        self._inner = zlib.decompressobj(window_bits)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield self._inner.decompress(data, PIECE)
        while self._inner.unconsumed_tail and not self._inner.eof:
            yield self._inner.decompress(self._inner.unconsumed_tail, PIECE)


class _Bounded:
    """bz2 and xz: bounded by ``max_length`` and ``needs_input``."""

    def __init__(self, inner: bz2.BZ2Decompressor | lzma.LZMADecompressor) -> None:
        self._inner = inner

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield self._inner.decompress(data, PIECE)
        while not self._inner.needs_input and not self._inner.eof:
            yield self._inner.decompress(b"", PIECE)


class _Zstd:
    """zstd: a block (4 bytes at least) unfolds to at most 128 KiB, so small bites keep the answer small."""

    BITE = 1024

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._inner = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()
        self._rest = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._rest

    def unpack(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), self.BITE):
            try:
                piece = self._inner.decompress(data[start : start + self.BITE])
            except self._error as problem:
                raise DamagedError(f"damaged zstd data: {problem}") from problem
            yield piece
            if self.eof:
                self._rest = data[start + self.BITE :]
                return


def inflate() -> _Unpacker:
    """Raw deflate, as zip members have it."""
    return _Zlib(-zlib.MAX_WBITS)


_FORMATS: tuple[tuple[str, tuple[bytes, ...], Callable[[], _Unpacker]], ...] = (
    ("gzip", (b"\x1f\x8b\x08",), lambda: _Zlib(zlib.MAX_WBITS | 16)),
    ("zstd", (b"\x28\xb5\x2f\xfd",), _Zstd),
    (
        "xz",
        (b"\xfd7zXZ\x00",),
        lambda: _Bounded(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)),
    ),
    (
        "bzip2",
        tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
        lambda: _Bounded(bz2.BZ2Decompressor()),
    ),
)


def compression(stream: ByteStream) -> tuple[str, Callable[[], _Unpacker]] | None:
    """Name and unpacker of the compression that ``stream`` begins with, or None."""
    start = stream.peek(10)
    for name, magics, make in _FORMATS:
        if start.startswith(magics):
            return name, make
    return None


def run(unpacker: _Unpacker, stream: ByteStream, budget: Budget, name: str) -> Iterator[bytes]:
    """Everything up to the end of one compressed frame; bytes behind it go back to ``stream``."""
    try:
        while not unpacker.eof:
            data = stream.some()
            if not data:
                raise DamagedError(f"truncated {name} data")
            for piece in unpacker.unpack(data):
                budget.unpack(len(piece))
                if piece:
                    yield piece
        stream.push_back(unpacker.unused_data)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as problem:
        raise DamagedError(f"damaged {name} data: {problem}") from problem


def unpacked(stream: ByteStream, budget: Budget) -> Iterator[bytes]:
    """All frames that follow one another, as ``cat a.gz b.gz`` gives them; trailing rubbish is left out."""
    while (found := compression(stream)) is not None:
        name, make = found
        before = budget.unpacked
        yield from run(make(), stream, budget, name)
        budget.frame(budget.unpacked - before)
    stream.check()

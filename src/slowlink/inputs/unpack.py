"""Compressed streams by their first bytes, never by their names. A damaged one gives what it held so far."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from slowlink.inputs.holes import skip_zeros
from slowlink.inputs.stream import PIECE, Budget, ByteStream, DamagedError

XZ_MEMORY_BYTES = 256 << 20
ZSTD_WINDOW_BYTES = 1 << 27


class Unpacker(Protocol):
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
                raise _refused("zstd", problem) from problem
            yield piece
            if self.eof:
                self._rest = data[start + self.BITE :]
                return


class _Skippable:
    """A frame of zstd that holds no text: a length, and so many bytes to pass over.

    Source: RFC 8878, section 3.1.2. pzstd writes one before each of its frames, others keep an index in the last.
    """

    HEAD_BYTES = 8

    def __init__(self) -> None:
        self._head = b""
        self._left = -1
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        return self._left == 0

    def unpack(self, data: bytes) -> Iterator[bytes]:
        if self._left < 0:
            self._head += data
            if len(self._head) < self.HEAD_BYTES:
                return
            data, self._left = self._head[self.HEAD_BYTES :], int.from_bytes(self._head[4 : self.HEAD_BYTES], "little")
        taken = min(len(data), self._left)
        self._left -= taken
        self.unused_data = data[taken:]
        yield b""


def inflate() -> Unpacker:
    """Raw deflate, as zip members have it."""
    return _Zlib(-zlib.MAX_WBITS)


def bzip2() -> Unpacker:
    return _Bounded(bz2.BZ2Decompressor())


def xz() -> Unpacker:
    return _Bounded(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES))


def lzma_alone() -> Unpacker:
    """The format before xz: ``.lzma`` files, and zip members once their header is put in this one's words."""
    return _Bounded(lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=XZ_MEMORY_BYTES))


def zstd() -> Unpacker:
    return _Zstd()


_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
"""How a block begins, and the end of a stream, where the stream holds nothing."""
_FORMATS: tuple[tuple[str, tuple[bytes, ...], Callable[[], Unpacker]], ...] = (
    ("gzip", (b"\x1f\x8b\x08",), lambda: _Zlib(zlib.MAX_WBITS | 16)),
    ("zstd", (b"\x28\xb5\x2f\xfd",), zstd),
    ("zstd", tuple(b"%c\x2a\x4d\x18" % variant for variant in range(0x50, 0x60)), _Skippable),
    ("xz", (b"\xfd7zXZ\x00",), xz),
    ("bzip2", tuple(b"BZh%d" % level + block for level in range(1, 10) for block in _BZIP2_BLOCKS), bzip2),
)
_LZMA_HEAD_BYTES = 13
_TOO_MUCH_MEMORY = ("requires too much memory", "Memory usage limit")
"""What the libraries of zstd and of xz say."""
_LONGEST_LZMA = 1 << 38


def compression(stream: ByteStream) -> tuple[str, Callable[[], Unpacker]] | None:
    """Name and unpacker of the compression that ``stream`` begins with, or None."""
    start = stream.peek(_LZMA_HEAD_BYTES)
    for name, magics, make in _FORMATS:
        if start.startswith(magics):
            return name, make
    return ("lzma", lzma_alone) if _is_lzma(start) else None


def _is_lzma(start: bytes) -> bool:
    """``.lzma`` has no signature: the usual properties, a dictionary of 2^n or 2^n + 2^(n-1) bytes, and a length that
    is unknown or below 256 GiB. Source: the format's specification in XZ Utils (doc/lzma-file-format.txt)."""
    if len(start) < _LZMA_HEAD_BYTES or start[0] != 0x5D:
        return False
    dictionary, length = int.from_bytes(start[1:5], "little"), int.from_bytes(start[5:13], "little")
    top = 1 << max(dictionary.bit_length() - 1, 0)
    plausible = dictionary >= 1 << 12 and (dictionary in (top, top | top >> 1) or dictionary == 0xFFFFFFFF)
    return plausible and (length < _LONGEST_LZMA or length == (1 << 64) - 1)


def run(unpacker: Unpacker, stream: ByteStream, budget: Budget, name: str) -> Iterator[bytes]:
    """Everything up to the end of one compressed frame; bytes behind it go back to ``stream``."""
    try:
        while not unpacker.eof:
            data = stream.some()
            if not data:
                raise DamagedError(f"truncated {name} data")
            for piece in unpacker.unpack(data):
                budget.unpack(len(piece), max(piece.count(b"\n"), piece.count(b"\r")))
                if piece:
                    yield piece
        stream.push_back(unpacker.unused_data)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as problem:
        raise _refused(name, problem) from problem


def _refused(name: str, problem: Exception) -> DamagedError:
    """Memory that the data ask for is bounded here, and no damage."""
    if any(words in str(problem) for words in _TOO_MUCH_MEMORY):
        return DamagedError(f"{name} data that take more memory than is given to them: unpack them by hand")
    return DamagedError(f"damaged {name} data: {problem}")


def unpacked(stream: ByteStream, budget: Budget) -> Iterator[bytes]:
    """All frames that follow one another, as ``cat a.gz b.gz`` gives them. NUL bytes between and behind them are
    padding, as tapes and xz have it; raises DamagedError where anything else follows."""
    while (found := compression(stream)) is not None:
        name, make = found
        before = budget.unpacked
        yield from run(make(), stream, budget, name)
        budget.frame(budget.unpacked - before)
        skip_zeros(stream)
        if stream.peek(1) and compression(stream) is None:
            raise DamagedError(f"something else follows the {name} data; that part was not read")
    stream.check()

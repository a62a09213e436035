"""Bytes that arrive in pieces, with a look ahead and a limit against bombs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

PIECE = 1 << 18
"""Bytes asked for at a time."""
LONGEST_NAME = 1024
"""Characters of a member's name that are kept. A tar may state names of a megabyte, a hundred thousand times."""

SMALL_FRAME_BYTES, MOST_SMALL_FRAMES = 1024, 10_000


class DamagedError(Exception):
    """The bytes end or stop making sense here; what came before is good. The text says why."""


SMALL_BYTES = 1 << 20
"""Of a file up to here a stranger can send thousands, so its first MiB is worth less than what follows."""


class Share(NamedTuple):
    """How much a file may unfold to: something in any case, more for each of its first bytes, and for each other."""

    least: int
    of_small: float
    of_rest: float

    def of(self, packed: int) -> int:
        small = min(packed, SMALL_BYTES)
        return self.least + int(self.of_small * small + self.of_rest * (packed - small))


UNBOUNDED = Share(1 << 62, 0, 0)
ONLY_SUMMED = Share(1 << 30, 1000, 1000)
"""For what is unpacked and not read."""


class Budget(Struct):
    """What one path may unfold to. Shared by all archives nested in it.

    Reading takes time for each byte, line and member: some ten seconds for what a MiB of usual logs may unfold to.
    """

    total_bytes: int = 64 << 30
    share_of_bytes: Share = Share(10 << 20, 40, 400)
    """Bug reports and must-gathers unfold to 20 and 40 times their size, copies of one log to hundreds."""
    share_of_holes: Share = ONLY_SUMMED
    share_of_lines: Share = Share(250_000, 1, 16)
    """Logs shrink to a 300th, rarely to a 1000th: that is some ten lines a byte."""
    share_of_members: Share = Share(6_000, 1 / 64, 1 / 16)
    """Names alone take some tens of bytes, packed; archives in archives take none."""
    members: int = 100_000
    depth: int = 6
    stated: int = 0
    """Size of the file, where that is known before it is read."""
    packed: int = 0
    """Bytes of it that came."""
    unpacked: int = 0
    holes: int = 0
    lines: int = 0
    seen: int = 0
    small_frames: int = 0
    exhausted: str | None = None

    def unpack(self, count: int, lines: int = 0) -> None:
        """Book ``count`` unpacked bytes with so many lines; raises DamagedError where a limit is passed."""
        self.unpacked += count
        self.lines += lines
        size = self._size()
        if self.unpacked > self.total_bytes:
            self._stop(f"unpacks to more than {self.total_bytes >> 30} GiB")
        if self.unpacked > self.share_of_bytes.least and self.unpacked > (most := self.share_of_bytes.of(size)):
            self._stop(f"unpacks to more than {most >> 20:,} MiB, too much for its {_in_words(size)}")
        if self.lines > self.share_of_lines.least and self.lines > (most := self.share_of_lines.of(size)):
            self._stop(f"unpacks to more than {most:,} lines, too many for its {_in_words(size)}")

    def hole(self, count: int) -> None:
        """Book NUL bytes that a sparse file has instead of text: reading these takes next to nothing."""
        self.holes += count
        if self.holes > (most := min(self.total_bytes, self.share_of_holes.of(self._size()))):
            self._stop(f"unpacks to more than {most >> 20:,} MiB of NUL bytes")

    def member(self) -> None:
        """Book one archive member; raises DamagedError where there are too many."""
        self.seen += 1
        if self.seen > self.members:
            self._stop(f"holds more than {self.members:,} files")
        if self.seen > self.share_of_members.least and self.seen > (
            most := self.share_of_members.of(size := self._size())
        ):
            self._stop(f"holds more than {most:,} files, too many for its {_in_words(size)}")

    def frame(self, unpacked: int) -> None:
        """Book one compressed frame that gave so many bytes; raises DamagedError where too many gave next to nothing:
        each costs time to set up, and no program writes thousands of them. One beside each real frame is usual
        (parallel zstd writes its length there)."""
        self.small_frames = max(0, self.small_frames + (1 if unpacked < SMALL_FRAME_BYTES else -1))
        if self.small_frames > MOST_SMALL_FRAMES:
            self._stop(f"is cut into more than {MOST_SMALL_FRAMES} nearly empty frames")

    def _size(self) -> int:
        return max(self.stated, self.packed)

    def _stop(self, why: str) -> None:
        self.exhausted = f"stopped reading: the archive {why}"
        raise DamagedError(self.exhausted)


def _in_words(size: int) -> str:
    return f"{size:,} bytes" if size < 10 << 10 else f"{size >> 10:,} KiB" if size < 10 << 20 else f"{size >> 20:,} MiB"


class ByteStream:
    """A reader over an iterator of bytes. Short answers mean the end.

    Damage is held back until everything before it has been read, so a look ahead never loses good bytes.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._ahead = b""
        self._damage: DamagedError | OSError | None = None

    def _next(self) -> bytes:
        if self._damage is None:
            try:
                for piece in self._pieces:
                    if piece:
                        return piece
            except (DamagedError, OSError) as damage:
                self._damage = damage
        return b""

    def check(self) -> None:
        """Raise the damage that ended the bytes, if that is what ended them."""
        if self._damage is not None and not self._ahead:
            raise self._damage

    def peek(self, count: int) -> bytes:
        """Up to ``count`` bytes without taking them."""
        if len(self._ahead) < count:
            parts = [self._ahead]
            held = len(self._ahead)
            while held < count and (piece := self._next()):
                parts.append(piece)
                held += len(piece)
            self._ahead = b"".join(parts)
        return self._ahead[:count]

    def read(self, count: int) -> bytes:
        """Up to ``count`` bytes; raises DamagedError where damage leaves none at all."""
        found = self.peek(count)
        self._ahead = self._ahead[len(found) :]
        if not found:
            self.check()
        return found

    def some(self) -> bytes:
        """The next piece, whatever its length; empty at the end."""
        found, self._ahead = self._ahead or self._next(), b""
        if not found:
            self.check()
        return found

    def push_back(self, data: bytes) -> None:
        """Return bytes that were taken too many."""
        self._ahead = data + self._ahead

    def take(self, count: int) -> Iterator[bytes]:
        """Exactly ``count`` bytes in pieces; raises DamagedError when they end before."""
        left = count
        while left:
            piece = self.some()
            if not piece:
                raise DamagedError("truncated archive")
            if len(piece) > left:
                self.push_back(piece[left:])
                piece = piece[:left]
            left -= len(piece)
            yield piece

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.some():
            yield piece

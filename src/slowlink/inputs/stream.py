"""Bytes that arrive in pieces, with a look ahead and a limit against bombs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

PIECE = 1 << 18
"""Bytes asked for at a time."""
LONGEST_NAME = 1024
"""Characters of a member's name that are kept. A tar may state names of a megabyte, a hundred thousand times."""

SMALL_FRAME_BYTES, MOST_SMALL_FRAMES = 1024, 10_000


class DamagedError(Exception):
    """The bytes end or stop making sense here; what came before is good. The text says why."""


class Budget(Struct):
    """What one path may unfold to. Shared by all archives nested in it."""

    total_bytes: int = 64 << 30
    ratio: int = 1000
    ratio_from_bytes: int = 1 << 30
    lines_from: int = 2_000_000
    lines_per_byte: int = 16
    """Each line takes time to read. Logs shrink to a 300th, rarely to a 1000th: that is some ten lines a byte."""
    members: int = 100_000
    members_from: int = 2_000
    bytes_per_member: int = 16
    """Each member takes time to open. Names alone take some tens of bytes, packed; archives in archives take none."""
    depth: int = 6
    packed: int = 0
    unpacked: int = 0
    lines: int = 0
    seen: int = 0
    small_frames: int = 0
    exhausted: str | None = None

    def unpack(self, count: int, lines: int = 0) -> None:
        """Book ``count`` unpacked bytes with so many lines; raises DamagedError where a limit is passed."""
        self.unpacked += count
        self.lines += lines
        if self.unpacked > self.total_bytes:
            self._stop(f"unpacks to more than {self.total_bytes >> 30} GiB")
        elif self.unpacked > self.ratio_from_bytes and self.unpacked > self.ratio * max(self.packed, 1):
            self._stop(f"unpacks to more than {self.ratio} times its size")
        elif self.lines > self.lines_from and self.lines > self.lines_from + self.lines_per_byte * self.packed:
            self._stop(f"unpacks to more than {self.lines_from} lines, and {self.lines_per_byte} for each of its bytes")

    def member(self) -> None:
        """Book one archive member; raises DamagedError where there are too many."""
        self.seen += 1
        if self.seen > self.members:
            self._stop(f"holds more than {self.members} files")
        if self.seen > self.members_from and self.seen > self.members_from + self.packed // self.bytes_per_member:
            self._stop(
                f"holds more than {self.members_from} files, and one for each {self.bytes_per_member} of its bytes"
            )

    def frame(self, unpacked: int) -> None:
        """Book one compressed frame that gave so many bytes; raises DamagedError where too many gave next to nothing:
        each costs time to set up, and no program writes thousands of them. One beside each real frame is usual
        (parallel zstd writes its length there)."""
        self.small_frames = max(0, self.small_frames + (1 if unpacked < SMALL_FRAME_BYTES else -1))
        if self.small_frames > MOST_SMALL_FRAMES:
            self._stop(f"is cut into more than {MOST_SMALL_FRAMES} nearly empty frames")

    def _stop(self, why: str) -> None:
        self.exhausted = f"stopped reading: the archive {why}"
        raise DamagedError(self.exhausted)


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

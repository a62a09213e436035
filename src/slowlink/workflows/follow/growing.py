"""Files that grow: what was added to each since it was looked at last, in whole lines.

A file is what the system says it is (device and inode), not its name: one that was renamed goes on where it was, and
what stands under its old name now is another. One that became shorter, or begins otherwise, was written anew.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

MOST_FILES = 50_000
_AT_A_TIME = 4 << 20
"""Bytes of one file that are read before they are looked at; no line is so long."""
_START_BYTES = 256

Identity = tuple[int, int]


class Growing(Struct):
    """One file, as far as it was read."""

    identity: Identity
    name: str
    """Its path when it was seen last."""
    start: bytes = b""
    offset: int = 0
    """Behind the last whole line: what is being written is read again, and not held for 50,000 files."""
    lines: int = 0
    """Before that."""
    no_end: bool = False
    """Its lines stop ending."""
    skipped: bool = False
    """Nobody wants it, until it is written anew."""
    state: tuple[int, int] = (-1, -1)
    """Its size, and when it was changed, before it was read last."""


class GrowingFiles:
    """All plain files below a directory. Nothing is kept of those that are gone."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self.files: dict[Identity, Growing] = {}
        self.left_out = 0
        """Files beyond ``MOST_FILES``."""
        self.endless = ""
        """A file of which nothing more is read: no line ends for megabytes."""

    def added(self) -> Iterator[tuple[Growing, list[bytes]]]:
        """Whole lines that were added, a few MB at a time; a file that was written anew begins with line 1."""
        seen: dict[Identity, Growing] = {}
        changed: list[Growing] = []
        self.left_out = 0
        for path, status in self._walk():
            identity = status.st_dev, status.st_ino
            if identity in seen:
                continue
            if len(seen) >= MOST_FILES:
                self.left_out += 1
                continue
            file = self.files.get(identity) or Growing(identity, path)
            file.name = path
            seen[identity] = file
            if file.state != _state_of(status):
                changed.append(file)
        self.files = seen
        for file in changed:
            yield from _added_to(file)
            self.endless = self.endless or (file.name if file.no_end else "")

    def _walk(self) -> Iterator[tuple[str, os.stat_result]]:
        for folder, folders, names in os.walk(self._top):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)  # noqa: PTH118  (thousands, at each look)
                try:
                    status = os.stat(path, follow_symlinks=False)  # noqa: PTH116
                except OSError:
                    continue  # it was there a moment ago
                if stat.S_ISREG(status.st_mode):
                    yield path, status


def _state_of(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _added_to(file: Growing) -> Iterator[tuple[Growing, list[bytes]]]:
    try:
        # A pipe that took its place since we looked would be waited for.
        descriptor = os.open(file.name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if (status.st_dev, status.st_ino) != file.identity:
                return  # renamed since we looked: next time
            file.state = _state_of(status)
            _notice_anew(file, stream.read(_START_BYTES), status.st_size)
            stream.seek(file.offset)
            while not file.skipped and (data := stream.read(_AT_A_TIME)):
                whole, end, _ = data.rpartition(b"\n")
                if end:
                    file.offset += len(whole) + 1
                    lines = whole.split(b"\n")
                    yield file, lines
                    file.lines += len(lines)
                elif len(data) == _AT_A_TIME:
                    file.skipped = file.no_end = True  # of a hole there may be more than anybody can read
                if len(data) < _AT_A_TIME:
                    return
                stream.seek(file.offset)
    except OSError:
        return  # gone, or not ours to read; what was read of it counts


def _notice_anew(file: Growing, start: bytes, size: int) -> None:
    if size < file.offset or not start.startswith(file.start):
        file.offset, file.lines, file.skipped, file.no_end = 0, 0, False, False
    file.start = start

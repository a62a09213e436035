"""Holes in a text: long runs of NUL bytes, which no program printed.

A log that is truncated while its writer goes on begins with one, as long as the log was; on a shared file system one
node sees what another wrote before it sees what came earlier; after a crash blocks are there that were never written.
What stood in a hole is not known. What stands around it is a log as any other.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from io import RawIOBase
from typing import BinaryIO

from slowlink.inputs.stream import PIECE, ByteStream, DamagedError

HOLE_BYTES = 64
"""So many NUL bytes are a hole. A few are padding, as serial consoles and terminals send it."""
MOST_BYTES = 4 << 30
"""More is not read through: a file may claim to be of any length and hold nothing."""
_RUNS = re.compile(rb"\x00{%d,}" % HOLE_BYTES)
_INSTEAD = b"\r"
"""The line breaks in two there, and all lines keep their numbers."""


def past_hole(file: BinaryIO | RawIOBase, size: int) -> int:
    """Go over what a sparse file of ``size`` bytes has no blocks for where it stands; how many bytes it was. A file of
    terabytes may take none of the disk. 0 where the file system does not tell."""
    here, descriptor = file.tell(), file.fileno()
    raw = os.lseek(descriptor, 0, os.SEEK_CUR)  # of what the buffer holds, ``file`` knows
    try:
        there = os.lseek(descriptor, here, os.SEEK_DATA)
    except OSError as problem:
        there = size if problem.errno == errno.ENXIO else here  # nothing but holes up to the end
    except AttributeError:  # no such question on this system
        there = here
    os.lseek(descriptor, raw, os.SEEK_SET)
    if there > here:
        file.seek(there)
    return max(there - here, 0)


def begins_with_hole(stream: ByteStream) -> bool:
    """Do so many NUL bytes stand here that it is a hole, or nothing else at all?"""
    start = stream.peek(HOLE_BYTES)
    return bool(start) and not start.strip(b"\0")


def skip_zeros(stream: ByteStream) -> int:
    """Take the NUL bytes that stand here, and tell how many; raises DamagedError where they come to no end."""
    skipped = 0
    while piece := stream.some():
        rest = piece.lstrip(b"\0")
        skipped += len(piece) - len(rest)
        if rest:
            stream.push_back(rest)
            break
        if skipped > MOST_BYTES:
            raise DamagedError(f"holds more than {MOST_BYTES >> 30} GiB of NUL bytes; not read further")
    return skipped


def shut(pieces: Iterable[bytes], skipped: int = 0) -> Iterator[bytes]:
    """``pieces`` without their holes; ``skipped`` NUL bytes were taken before them.

    Raises DamagedError behind the last piece where there was a hole: what stood in it was not read.
    """
    waiting, anything = 0, False
    for piece in pieces:
        rest = piece.lstrip(b"\0")
        waiting += len(piece) - len(rest)
        if skipped + waiting > MOST_BYTES:
            raise DamagedError(f"holds more than {MOST_BYTES >> 30} GiB of NUL bytes; not read further")
        if not rest:
            continue
        skipped += waiting if waiting >= HOLE_BYTES else 0
        yield _between(waiting) if anything else _between(waiting).lstrip(_INSTEAD)
        text = rest.rstrip(b"\0")
        waiting, anything = len(rest) - len(text), True
        closed, runs = _RUNS.subn(_INSTEAD, text) if b"\0" in text else (text, 0)
        skipped += len(text) - len(closed) + runs * len(_INSTEAD)
        yield closed
    if waiting < HOLE_BYTES:
        yield bytes(waiting)
        waiting = 0
    if skipped + waiting:
        raise DamagedError(_words(skipped + waiting, anything))


def without_holes(data: bytes) -> bytes:
    """``data`` without runs of NUL bytes."""
    return _RUNS.sub(b"", data)


def _between(zeros: int) -> bytes:
    return _INSTEAD if zeros >= HOLE_BYTES else bytes(zeros)


def _words(count: int, anything: bool) -> str:
    said = f"{count:,} NUL bytes" if count < PIECE else f"{count:,} NUL bytes or more"  # ``past_hole``
    if not anything:
        return f"holds {said} and nothing else; what was to be there is missing"
    return f"has a hole: {said} that nobody printed were left out; what was to be there is missing"

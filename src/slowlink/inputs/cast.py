"""Recordings of a terminal, as asciinema writes them: what the terminal printed, put together.

A record holds what one read gave, so a line may begin in one and end in another. What is typed, and sizes, are left
out.

Source: asciicast v1, v2 and v3 (docs.asciinema.org/manual/asciicast).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from slowlink.inputs.stream import DamagedError

MOST_BYTES = 32 << 20
"""Of a recording that is one JSON value (v1); a longer one passes as it is."""
_HEADER = re.compile(rb'\s*\{(?=[^\n]*"version":\s*[23]\b)(?=[^\n]*"(?:width|term)":)')
_WHOLE = re.compile(rb'\s*\{(?=.{0,4000}"version":\s*1\b)(?=.{0,4000}"stdout":\s*\[)', re.DOTALL)
HEAD_BYTES = 1 << 14
_LONGEST_RECORD = 4 << 20


def played(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """What the recording that ``pieces`` are printed; other texts as they are."""
    waiting = iter(pieces)
    head = next(filter(None, waiting), b"")
    if not head.lstrip().startswith(b"{"):
        yield head
        yield from waiting
        return
    start = head[:HEAD_BYTES]
    everything = chain((head,), waiting)
    if _HEADER.match(start) is not None:
        yield from _records(everything)
    elif _WHOLE.match(start) is not None:
        yield from _one_value(everything)
    else:
        yield from everything


def _records(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """A header, and one record a line; a line that is none passes as it is."""
    held = b""
    for piece in pieces:
        *whole, held = (held + piece).split(b"\n")
        yield b"".join(map(_printed, whole))
        if len(held) > _LONGEST_RECORD:
            yield held
            held = b""
    if held:
        yield _printed(held)


def _printed(line: bytes) -> bytes:
    """What a record says was printed."""
    if line[:1] in (b"#", b"{") or not line.strip():
        return b""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return b"\n" + line + b"\n"
    if isinstance(record, list) and len(record) > 2 and isinstance(record[1], str) and isinstance(record[2], str):
        return _text(record[2]) if record[1] == "o" else b""
    return b"\n" + line + b"\n"


def _one_value(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    length = 0
    waiting = iter(pieces)
    try:
        for piece in waiting:
            held.append(piece)
            length += len(piece)
            if length > MOST_BYTES:
                break
    except (DamagedError, OSError):
        yield _printed_in(b"".join(held))
        raise
    if length > MOST_BYTES:
        yield from held
        yield from waiting
    else:
        yield _printed_in(b"".join(held))


def _printed_in(data: bytes) -> bytes:
    """What the frames of a recording say was printed; ``data`` itself where it is cut, or something else."""
    try:
        frames = json.loads(data)["stdout"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return data
    if not isinstance(frames, list) or not all(map(_is_frame, frames)):
        return data
    return b"".join(_text(frame[1]) for frame in frames)


def _is_frame(frame: object) -> bool:
    return isinstance(frame, list) and len(frame) == 2 and isinstance(frame[1], str)


def _text(printed: str) -> bytes:
    """As UTF-8; what a record cut in the middle of a character is a mark."""
    return printed.encode("utf-8", "replace")

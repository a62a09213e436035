"""Text that went through a page, an editor or a terminal on its way here: markup, entities, blanks, broken lines.

Found in the beginning of a source and undone line by line, so that lines keep their numbers. Text without these marks
passes untouched, and nothing is guessed: a tag or an entity is taken off where it stands as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from slowlink.inputs.markup import Undo, markup_of
from slowlink.inputs.rejoin import Goes, rejoined, row_goes_on, wrapped_at
from slowlink.patterns import regex

HEAD_BYTES = 64 << 10
"""What is looked at to tell a disguise."""
LONGEST_LINE = 1 << 18
"""A longer line is handled in pieces."""
_LONGEST_TAG = 1 << 14
"""So far from its end a piece is cut before a tag."""

_ROW = regex(r"<tr[\s>]", re.IGNORECASE)
_BLANKS = dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ") | {
    0x200B: "",
    0x2060: "",
    0xFEFF: "",
    0xAD: "",
}
"""Blanks that do not break or have another width, and characters without width."""


def undisguised(pieces: Iterable[bytes], head: bytes) -> Iterator[bytes]:
    """``pieces`` (UTF-8) as they were before somebody pasted them; ``head`` is how they begin."""
    if b"\n" not in head and head.count(b"\r") > 1:
        pieces = _with_newlines(pieces)
    start = head.decode("utf-8", "replace").replace("\r\n", "\n")
    ways = ways_of(start)
    in_rows = bool(ways) and _ROW.search(start) is not None
    lines = start.split("\n")[:-1]
    wrapped = wrapped_at([_undone(line, ways) for line in lines] if ways else lines)
    if in_rows or wrapped is not None:
        yield from _together(pieces, ways, row_goes_on if in_rows else None, wrapped)
    elif ways:
        for line in _lines(pieces):
            yield _undone(line.decode("utf-8", "surrogateescape"), ways).encode("utf-8", "surrogateescape")
    else:
        yield from pieces


def _together(pieces: Iterable[bytes], ways: Sequence[Undo], row: Goes | None, wrapped: Goes | None) -> Iterator[bytes]:
    """The lines, each undone, with what belongs to one line put together; as many ends of lines as before."""
    ends = 0

    def bare() -> Iterator[str]:
        nonlocal ends
        for line in _lines(pieces):
            ends += line.endswith(b"\n")
            yield line.decode("utf-8", "surrogateescape").rstrip("\r\n")

    lines = rejoined(bare(), row) if row is not None else bare()
    lines = (_undone(line, ways) for line in lines)
    lines = rejoined(lines, wrapped) if wrapped is not None else lines
    written = 0
    for line in lines:
        yield (("\n" if written else "") + line).encode("utf-8", "surrogateescape")
        written += 1
    if written and ends >= written:
        yield b"\n"


def _undone(text: str, ways: Sequence[Undo]) -> str:
    for undo in ways:
        text = undo(text)
    return text


def ways_of(head: str) -> tuple[Undo, ...]:
    """What undoes the disguises of a text that begins like this; none for a plain one."""
    ways = [*markup_of(head)]
    if any(chr(blank) in head for blank in _BLANKS):
        ways.append(lambda text: text.translate(_BLANKS))
    return tuple(ways)


def _with_newlines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.replace(b"\r", b"\n")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their ends; one that is too long in pieces, cut before a tag, or between characters."""
    held = b""
    for piece in pieces:
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"
        while len(held) > LONGEST_LINE:
            cut = held.rfind(b"<", LONGEST_LINE - _LONGEST_TAG, LONGEST_LINE)
            cut = LONGEST_LINE if cut < 0 else cut
            while held[cut] & 0xC0 == 0x80 and cut > LONGEST_LINE - 4:
                cut -= 1
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held

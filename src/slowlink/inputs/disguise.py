"""Text that went through a page, an editor or a terminal on its way here: markup, entities, blanks, broken lines.

Found in the beginning of a source and undone line by line, so that lines keep their numbers. Text without these marks
passes untouched, and nothing is guessed: a tag or an entity is taken off where it stands as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from slowlink.inputs.rejoin import Goes, rejoined, row_goes_on, wrapped_at
from slowlink.patterns import regex

HEAD_BYTES = 64 << 10
"""What is looked at to tell a disguise."""
LONGEST_LINE = 1 << 18
"""A longer line is handled in pieces."""

_Undo = Callable[[str], str]

_NAMES = (
    "a|abbr|article|b|blockquote|body|br|button|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|kbd|label|li"
    "|main|meta|ol|p|pre|s|samp|section|small|span|strong|sub|sup|svg|table|tbody|td|th|thead|title|tr|tt|u|ul|!doctype"
)
_TAG = regex(rf"</?(?:{_NAMES})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_MARKUP = regex(r"</(?:pre|code|span|div|td|p|body|html|li)>|<br ?/?>", re.IGNORECASE)
"""What a page has and a log does not."""
_ROW = regex(r"<tr[\s>]", re.IGNORECASE)
_CELL_END = regex(r"</(?:td|th)>", re.IGNORECASE)
_ENTITY = regex(
    r"&(?:(?P<name>lt|gt|amp|quot|apos|nbsp|hellip|mdash|ndash)|#(?P<code>\d{1,6})|#[xX](?P<hex>[0-9a-fA-F]{1,5}));"
)
_ESCAPED = regex(r"&(?:lt|gt|quot|nbsp|#39|#x27|#34|#x22);")
"""What an escaped text has; ``&amp;`` alone stands in addresses of pages."""
_XML = ("<?xml", "<!DOCTYPE nvidia", "<topology", "<nvidia_smi")
_CHARACTERS = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "nbsp": " ",
    "hellip": "...",
    "mdash": "-",
    "ndash": "-",
}
_BLANKS = {0xA0: " ", 0x202F: " ", 0x2007: " ", 0x200B: "", 0x2060: "", 0xFEFF: "", 0xAD: ""}
"""Blanks that do not break, and characters without width."""


def undisguised(pieces: Iterable[bytes], head: bytes) -> Iterator[bytes]:
    """``pieces`` (UTF-8) as they were before somebody pasted them; ``head`` is how they begin."""
    if b"\n" not in head and head.count(b"\r") > 1:
        pieces = _with_newlines(pieces)
    start = head.decode("utf-8", "replace").replace("\r\n", "\n")
    ways = ways_of(start)
    in_rows = bool(ways) and _ROW.search(start) is not None
    wrapped = wrapped_at([_undone(line, ways) for line in start.split("\n")[:-1]])
    if in_rows or wrapped is not None:
        yield from _together(pieces, ways, row_goes_on if in_rows else None, wrapped)
    elif ways:
        for line in _lines(pieces):
            yield _undone(line.decode("utf-8", "surrogateescape"), ways).encode("utf-8", "surrogateescape")
    else:
        yield from pieces


def _together(
    pieces: Iterable[bytes], ways: Sequence[_Undo], row: Goes | None, wrapped: Goes | None
) -> Iterator[bytes]:
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


def _undone(text: str, ways: Sequence[_Undo]) -> str:
    for undo in ways:
        text = undo(text)
    return text


def ways_of(head: str) -> tuple[_Undo, ...]:
    """What undoes the disguises of a text that begins like this; none for a plain one."""
    ways: list[_Undo] = []
    is_xml = any(mark in head for mark in _XML)
    is_page = not is_xml and _MARKUP.search(head) is not None
    if is_page:
        ways.append(_without_tags)
    if is_page or (not is_xml and _ESCAPED.search(head)):
        ways.append(_unescaped)
    if any(chr(blank) in head for blank in _BLANKS):
        ways.append(lambda text: text.translate(_BLANKS))
    return tuple(ways)


def _with_newlines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.replace(b"\r", b"\n")


def _without_tags(text: str) -> str:
    return _TAG.sub("", _CELL_END.sub("  ", text)) if "<" in text else text


def _unescaped(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    """The character that an entity stands for; control characters stay as they are written."""
    if found["name"]:
        return _CHARACTERS[found["name"]]
    code = int(found["code"]) if found["code"] else int(found["hex"], 16)
    return (
        chr(code) if 0x20 <= code < 0x110000 and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000 else found[0]
    )


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their ends; one that is too long in pieces, cut between characters."""
    held = b""
    for piece in pieces:
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"
        while len(held) > LONGEST_LINE:
            cut = LONGEST_LINE
            while held[cut] & 0xC0 == 0x80 and cut > LONGEST_LINE - 4:
                cut -= 1
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held

"""Bytes to lines as they are read: without line ends, trailing blanks, control sequences and what nobody sees."""

from __future__ import annotations

from slowlink.visible import ESCAPES, visible


def line_of(raw: bytes) -> str:
    """One line without its end, trailing blanks, control sequences and NULs."""
    return visible(raw.decode("utf-8", "replace")).rstrip()


def bytes_before(raw: bytes, line: str) -> list[int] | None:
    """How many bytes of ``raw`` stand before each character of ``line``, which was made of it, and before its end; None
    where that holds characters that are not in ``raw``."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    shown, places, read = [], [], 0
    for found in ESCAPES.finditer(text):
        shown.append(text[read : found.start()])
        places.append((read, found.start()))
        read = found.end()
    shown.append(text[read:])
    places.append((read, len(text)))
    if "".join(shown).rstrip() != line:
        return None
    lengths: list[int] = []
    at = before = 0
    for start, end in places:
        at += len(text[before:start].encode())
        for char in text[start:end]:
            lengths.append(at)
            at += len(char.encode())
        before = end
    lengths.append(at)
    return lengths


def lines_of(part: bytes) -> list[str]:
    """The lines of ``part`` without line ends, trailing blanks, control sequences and NULs."""
    text = visible(part.decode("utf-8", "replace"))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not part or part.endswith(b"\n"):  # an empty last line may also be one of NULs alone
        lines.pop()
    return list(map(str.rstrip, lines))

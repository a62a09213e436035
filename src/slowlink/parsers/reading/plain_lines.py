"""Bytes to lines as they are read: without line ends, trailing blanks, control sequences and what nobody sees."""

from __future__ import annotations

from slowlink.visible import visible


def line_of(raw: bytes) -> str:
    """One line without its end, trailing blanks, control sequences and NULs."""
    return visible(raw.decode("utf-8", "replace")).rstrip()


def lines_of(part: bytes) -> list[str]:
    """The lines of ``part`` without line ends, trailing blanks, control sequences and NULs."""
    text = visible(part.decode("utf-8", "replace"))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not part or part.endswith(b"\n"):  # an empty last line may also be one of NULs alone
        lines.pop()
    return list(map(str.rstrip, lines))

"""Bytes of a process to lines of text, for whoever wants lines while they come. The evidence itself stays bytes."""

from __future__ import annotations

MAX_LINE_BYTES = 1 << 16
"""A line that grows beyond this is given in pieces: a program may write no line end at all."""


class LineSplitter:
    """Cuts chunks into lines. Any bytes are text afterwards: what is not UTF-8 becomes U+FFFD."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that ``chunk`` completes, without their ends; a carriage return alone does not end a line."""
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        while len(self._rest) > MAX_LINE_BYTES:
            whole.append(self._rest[:MAX_LINE_BYTES])
            self._rest = self._rest[MAX_LINE_BYTES:]
        return [_text(line) for line in whole]

    def finish(self) -> list[str]:
        """The last line, where it has no end."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")

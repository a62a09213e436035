"""Text in pieces of any length to redacted lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from slowlink.redact.blocks import BlockRedactor

if TYPE_CHECKING:
    from slowlink.redact.anonymize import Anonymizer

LONGEST_LINE_CHARS = 1 << 20
"""A longer line is taken in parts of this length, cut at a blank where there is one."""
_CUT_BACK_CHARS = 16 << 10


class Redactor:
    """Redacts one stream of text. How the text was cut into pieces makes no difference to the result."""

    def __init__(self, removed: Counter[str] | None = None, anonymizer: Anonymizer | None = None) -> None:
        self.removed: Counter[str] = Counter() if removed is None else removed
        """Kind -> how many values were replaced."""
        self._blocks = BlockRedactor(self.removed)
        self._anonymizer = anonymizer
        self._waiting: list[str] = []
        self._length = 0

    def feed(self, text: str) -> str:
        """The lines that ``text`` completes, redacted; the rest waits for its end."""
        cut = text.rfind("\n") + 1
        ready = ""
        if cut:
            ready = self._lines("".join(self._waiting) + text[:cut])
            self._waiting, self._length = [], 0
        if cut < len(text):
            self._waiting.append(text[cut:])
            self._length += len(text) - cut
        if self._length > LONGEST_LINE_CHARS:
            whole = "".join(self._waiting)
            while len(whole) > LONGEST_LINE_CHARS:
                end = _place_to_cut(whole)
                ready += self._redacted(whole[:end])
                whole = whole[end:]
            self._waiting, self._length = [whole], len(whole)
        return ready

    def finish(self) -> str:
        """The last line, when it has no end."""
        rest = "".join(self._waiting)
        self._waiting, self._length = [], 0
        return self._lines(rest)

    def _lines(self, text: str) -> str:
        if self._anonymizer is None and self._blocks.passes(text):
            return text
        return "".join(self._long_or_short(line) for line in _lines_of(text))

    def _long_or_short(self, line: str) -> str:
        parts = []
        while len(line) > LONGEST_LINE_CHARS:
            end = _place_to_cut(line)
            parts.append(self._redacted(line[:end]))
            line = line[end:]
        return "".join([*parts, self._redacted(line)])

    def _redacted(self, line: str) -> str:
        clean = self._blocks.line(line)
        return clean if self._anonymizer is None else self._anonymizer.line(clean)


def _lines_of(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends one."""
    lines = text.split("\n")
    last = lines.pop()
    return [*(line + "\n" for line in lines), *([last] if last else [])]


def _place_to_cut(text: str) -> int:
    """Behind the last blank before the limit, or at the limit where none is near."""
    blank = text.rfind(" ", LONGEST_LINE_CHARS - _CUT_BACK_CHARS, LONGEST_LINE_CHARS)
    return blank + 1 if blank > 0 else LONGEST_LINE_CHARS

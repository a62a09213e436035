"""Private keys: from BEGIN to END, on one line or over many."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.replaced import replace_with

LONGEST_BLOCK_LINES = 400
_BEGIN = regex(r"-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = regex(r"-----END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY = regex(
    r"[A-Za-z\d+/=]{1,200}\\?|[A-Za-z-]{1,30}: \S.{0,200}|(?:.{0,120}[^A-Za-z\d+/=])?[A-Za-z\d+/]{40,200}={0,2}"
)


class PrivateKeys:
    """Takes key blocks out of one stream. Other lines between those of a key stay."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self._left = 0

    @property
    def open(self) -> bool:
        """Is a block open?"""
        return self._left > 0

    def line(self, text: str) -> str:
        """``text`` without key material."""
        if self._left:
            return self._inside(text)
        begin = _BEGIN.search(text)
        if begin is None:
            return text
        end = _END.search(text, begin.end())
        mark = replace_with("private-key", self._removed)
        if end is not None:
            return text[: begin.start()] + mark + self.line(text[end.end() :])
        self._left = LONGEST_BLOCK_LINES
        return text[: begin.start()] + mark + text[len(text.rstrip("\r\n")) :]

    def _inside(self, text: str) -> str:
        self._left -= 1
        if _BEGIN.search(text) is not None:
            self._left = 0
            return self.line(text)
        end = _END.search(text)
        if end is not None:
            self._left = 0
            return self.line(text[end.end() :])
        return "" if _BODY.fullmatch(text.strip()) else text

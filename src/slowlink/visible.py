"""A text as somebody sees it: without control sequences, and with blanks where the cursor moved over them."""

from __future__ import annotations

import re

ESCAPES = re.compile(
    "\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\](?:[^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\\\)|\\d{0,4};?)"
    "|[ -/]{1,4}[0-~]|[0-Z\\\\^_`-~])"
)
"""Terminal control sequences (ECMA-48 CSI, OSC titles and links, two-byte ones). What an OSC without an end would hide
is text."""

_MOVES = re.compile("\x1b\\[(?:(?P<count>\\d{0,3})C|\\d{0,3}I|(?:\\d{1,3};)?(?!0{0,2}1?[GHf])\\d{1,3}[GHf])")
"""The cursor goes on in its line, over blanks that are not written: by so many, to the next tab, to a column."""
_MOST_BLANKS = 200


_INVISIBLE = (
    *(("\ufeff", ""), ("\u200b", ""), ("\u2060", ""), ("\u00a0", " "), ("\u202f", " ")),
    *(("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2013", "-"), ("\u2212", "-")),
)
"""What browsers, mail, chat and word processors put into a text that is copied from them, and what it stands for."""


def visible(text: str) -> str:
    """``text`` without control sequences, NULs and characters that nobody sees."""
    if "\x1b" in text:
        text = ESCAPES.sub("", _MOVES.sub(_blanks, text))
    if "\0" in text:
        text = text.replace("\0", "")
    if not text.isascii():
        for odd, plain in _INVISIBLE:
            text = text.replace(odd, plain)
    return text


def _blanks(move: re.Match[str]) -> str:
    return " " * min(int(move["count"] or 1), _MOST_BLANKS)

"""What stands between the letters that are read: colours and titles of a terminal, characters without width, and the
zeros of UTF-16 and UTF-32. They hide a name from its value, and are no evidence."""

from __future__ import annotations

from slowlink.patterns import regex

_UNSEEN = regex(
    r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\0?33|\\e)\[[\d;:?]{0,24}[A-Za-z]|\x9b[\d;:?]{0,24}[A-Za-z]"
    r"|\x1b\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[\u00ad\u200b-\u200d\u2060\ufeff]"
)
_MOVES = regex(r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\0?33|\\e)\[\d{0,3}[CI]")
"""The cursor goes on, over blanks that are not written."""
_WIDE = regex(r"\x00{0,3}(?:[^\x00]\x00(?:\x00\x00)?){8,}")
"""UTF-16 and UTF-32 that were taken for UTF-8: a zero or three beside each letter. Between the values of an
environment stands one alone."""

COLOUR_MARKS = ("\x1b", "\\u001", "\\x1", "\\033[", "\\33[", "\\e[", "\x00")
"""In ASCII; what is not ASCII is looked at line by line."""


def has_colours(text: str) -> bool:
    """May ``text`` hold such a thing?"""
    return (
        "\x1b" in text
        or "\x00" in text
        or not text.isascii()
        or ("\\" in text and any(mark in text for mark in COLOUR_MARKS))
    )


def without_colours(text: str) -> str:
    """``text`` as it reads."""
    if not has_colours(text):
        return text
    plain = _UNSEEN.sub("", _MOVES.sub(" ", text))
    return _WIDE.sub(lambda wide: wide[0].replace("\x00", ""), plain) if "\x00" in plain else plain

"""Sequences that colour a terminal: they hide a name from its value, and are no evidence."""

from __future__ import annotations

from slowlink.patterns import regex

_COLOUR = regex(r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\0?33|\\e)\[[\d;:?]{0,24}[A-Za-z]")


COLOUR_MARKS = ("\x1b", "\\u001", "\\x1", "\\033[", "\\33[", "\\e[")


def has_colours(text: str) -> bool:
    """May ``text`` hold such a sequence?"""
    return "\x1b" in text or ("\\" in text and any(mark in text for mark in COLOUR_MARKS))


def without_colours(text: str) -> str:
    """``text`` as it reads."""
    return _COLOUR.sub("", text) if has_colours(text) else text

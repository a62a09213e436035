"""Words that name a place, which stand where a password may: a host and its port, a path."""

from __future__ import annotations

from itertools import pairwise

from slowlink.patterns import regex

_PLACE = regex(r"[\w.,\[\]-]{0,200}[/:][\w.,:/\[\]-]{0,200}")
_PARTS = regex(r"[A-Za-z\d]{6,}")
_HEX = regex(r"[\da-f]+|[\dA-F]+")
_MOST_CHANGES = 0.34


def is_place(word: str) -> bool:
    """Is ``word`` made as places are, of parts that nobody has drawn by chance?"""
    return _PLACE.fullmatch(word) is not None and not any(map(_is_drawn, _PARTS.findall(word)))


def _is_drawn(part: str) -> bool:
    """Do its characters change their kind as often as chance makes them? A capital before small letters is no change:
    so words of a name begin."""
    kinds = ["digit" if sign.isdecimal() else "capital" if sign.isupper() else "small" for sign in part]
    changes = sum(one != other and (one, other) != ("capital", "small") for one, other in pairwise(kinds))
    return _HEX.fullmatch(part) is None and changes > _MOST_CHANGES * len(part)

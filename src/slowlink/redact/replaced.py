"""What stands where something was taken out."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex

REPLACED = regex(r"<redacted:[a-z-]{1,30}>[,;:.)\]}>\\]{0,8}")
"""A value that was replaced already, with what punctuation may follow it."""


def replace_with(kind: str, removed: Counter[str]) -> str:
    """The text to put there; counts it."""
    removed[kind] += 1
    return f"<redacted:{kind}>"

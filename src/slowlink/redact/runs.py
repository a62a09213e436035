"""A cheap look before patterns are tried: marks, and runs of characters that may be Base64 or a key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import AnyStr

RUN_CHARS = 20
"""A run of this many letters, digits, ``+`` and ``/`` is looked at: 15 bytes, less than any name with a secret."""
_ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
AS_RUNS = bytes(97 if code in _ALPHABET else 10 if code == 10 else 32 for code in range(256))
"""An ``a`` for each character that Base64 may hold, a blank for any other."""
RUN = b"a" * RUN_CHARS


def runs(text: str) -> bytes:
    """``text`` with an ``a`` for each character that Base64 may hold, to be searched for ``RUN``. A character beyond
    ASCII is one place here, too."""
    return text.encode("ascii", "replace").translate(AS_RUNS)


def holds_any(text: AnyStr, marks: Iterable[AnyStr]) -> bool:
    """Does ``text`` hold one of ``marks``? As ``any`` says it, in half the time."""
    for mark in marks:  # noqa: SIM110
        if mark in text:
            return True
    return False

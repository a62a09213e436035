"""What identifies one part of the world in hexadecimal digits: UUIDs, GUIDs, MAC addresses, digests.

Digits of numbers differ from line to line, so parsers are asked once for a shape, in which every digit is a 0. Such an
identifier holds letters, too: each would be a shape of its own, and thousands of nodes have thousands of them. A parser
does not tell them apart by their letters either.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

_LEAST_DIGITS = 8
"""A shorter one may be a word, or a code with a meaning of its own."""
_IDENTIFIER = re.compile(
    rb"(?<![0-9A-Za-z_])((?:0x)?)([0a-fA-F]{1,64}(?:[-:][0a-fA-F]{1,64}){0,9})(?![0-9A-Za-z_])", re.ASCII
)
_WORD = re.compile(rb"bad|dead|dbe|ecc|fec", re.IGNORECASE)
"""What parsers look for, and such digits spell by chance: then the line is asked for as it stands."""
_GROUP = re.compile(rb"[0a-fA-F]+")
_LETTERS = bytes.maketrans(b"bcdefBCDEF", b"aaaaaAAAAA")


def in_python(shape: bytes) -> bytes:
    """``shape``, of the same length, with one identifier for all of a form: of each of its groups counts whether it
    holds digits, letters or both, and with which of them it begins."""
    return _IDENTIFIER.sub(_any_such, shape)


def spells_a_word(text: str) -> bool:
    """Does something in it spell, maybe by chance, a word that parsers look for?"""
    return _WORD.search(text.encode("utf-8", "replace")) is not None


def _any_such(found: re.Match[bytes]) -> bytes:
    mark, digits = found[1], found[2]
    plain = digits.translate(_LETTERS)
    count = len(plain) - plain.count(b"-") - plain.count(b":")
    if count < _LEAST_DIGITS or not 0 < plain.count(b"0") < count or _WORD.search(digits):
        return found[0]
    return mark + _GROUP.sub(lambda group: _any_group(group[0]), plain)


@lru_cache(1 << 14)
def _any_group(group: bytes) -> bytes:
    """``group``, of two signs alone: there are few."""
    kinds = bytes(dict.fromkeys(group))  # in order of their first
    return kinds + kinds[-1:] * (len(group) - len(kinds))


def _fastest() -> Callable[[bytes], bytes]:
    if os.environ.get("SLOWLINK_WITHOUT_NATIVE"):
        return in_python
    try:
        native = import_module("slowlink.slowlink_native")
    except ImportError:  # not built: there was no compiler
        return in_python
    found: Callable[[bytes], bytes] = getattr(native, "blind_to_identifiers", in_python)
    return found


blind_to_identifiers = _fastest()
"""The same, in machine code where it was built (``native/src/identifiers.rs``)."""

"""Words of a line that differ from node to node: numbers, and what identifies a part of the world.

A *slot* is the place of such a word with the words that fit there. Nought, what a counter shows that is full, and an
identifier of noughts say something of their own: they fit nowhere.
"""

from __future__ import annotations

import random
import re

from msgspec import Struct

WORD = re.compile(r"[0-9A-Za-z]+(?:[.:-][0-9A-Za-z]+)*", re.ASCII)
_WHOLE = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
_DECIMAL = re.compile(r"([0-9]{1,12})\.([0-9]{1,9})", re.ASCII)
_STAMP = re.compile(r"[0-9]{1,9}(?:[:.-][0-9]{1,9}){1,7}", re.ASCII)
_HEX = re.compile(r"(?<![0-9A-Za-z])0x|[0-9a-f]", re.ASCII)
_FULL = frozenset(str((1 << bits) - 1) for bits in (7, 8, 15, 16, 31, 32, 63))
_LEAST_DIGITS = 8
"""Of an identifier: a shorter one may be a word, or a code with a meaning of its own."""
_LEAST_DIFFERENT = 3


class Slot(Struct, frozen=True):
    """Words that may stand at one place of a line."""

    place: int
    """Which word of the line."""
    kind: str
    """``whole``, ``decimal``, ``stamp`` (a clock, a date, a version) or ``identifier``."""
    form: str = ""
    """Of stamps and identifiers: the word with ``#`` for each digit."""
    longest: int = 0
    """Digits of a number, before the point."""
    fraction: int = 0

    def pattern(self) -> str:
        """What the word looks like, as an expression with one group."""
        if self.kind == "whole":
            return rf"([1-9][0-9]{{0,{self.longest - 1}}})"
        if self.kind == "decimal":
            return rf"([0-9]{{1,{self.longest}}}\.[0-9]{{{self.fraction}}})"
        digit = "[0-9]" if self.kind == "stamp" else "[0-9a-f]"
        return "(" + re.escape(self.form).replace(r"\#", digit) + ")"

    def fits(self, word: str) -> bool:
        """May this word that looks right stand here?"""
        if self.kind == "whole":
            return word not in _FULL
        if self.kind == "decimal":
            return word.strip("0.") != ""
        return self.kind == "stamp" or _is_telling(word)

    def with_other(self, other: Slot) -> Slot | None:
        """For the words of both; None where they are of different kinds."""
        if (self.kind, self.form, self.fraction) != (other.kind, other.form, other.fraction):
            return None
        return self if self.longest >= other.longest else other

    def any_word(self, chance: random.Random) -> str:
        """Some word that fits, hardly ever the same one twice."""
        if self.form:
            digits = "0123456789" if self.kind == "stamp" else "0123456789abcdef"
            word = "".join(chance.choice(digits) if sign == "#" else sign for sign in self.form)
            return word if self.fits(word) else self.any_word(chance)
        whole = str(chance.randrange(10 ** (self.longest - 1), 10**self.longest))
        if self.kind == "whole":
            return whole if whole not in _FULL else self.any_word(chance)
        return f"{whole}.{chance.randrange(1, 10**self.fraction):0{self.fraction}d}"

    def last_word(self, digit: str) -> str:
        """The least number that fits where ``digit`` is 1, the largest where it is 9."""
        if self.kind == "whole":
            return digit if digit == "1" else digit * self.longest
        return f"0.{'0' * (self.fraction - 1)}1" if digit == "1" else f"{digit * self.longest}.{digit * self.fraction}"


def slot_for(place: int, first: str, second: str) -> Slot | None:
    """A slot in which both words fit, and numbers with a digit more; None where they are not of one kind."""
    if _WHOLE.fullmatch(first) and _WHOLE.fullmatch(second):
        longest = min(18, max(len(first), len(second)) + 1)
        return None if first in _FULL or second in _FULL else Slot(place, "whole", longest=longest)
    one, other = _DECIMAL.fullmatch(first), _DECIMAL.fullmatch(second)
    if one and other:
        if len(one[2]) != len(other[2]) or not first.strip("0.") or not second.strip("0."):
            return None
        return Slot(place, "decimal", longest=max(len(one[1]), len(other[1])) + 1, fraction=len(one[2]))
    if _STAMP.fullmatch(first) and _STAMP.fullmatch(second):
        form = form_of_identifier(first)
        return Slot(place, "stamp", form) if form == form_of_identifier(second) else None
    form = form_of_identifier(first)
    if form != form_of_identifier(second) or form.count("#") < _LEAST_DIGITS:
        return None
    return Slot(place, "identifier", form) if _is_telling(first) and _is_telling(second) else None


def form_of_identifier(word: str) -> str:
    """With ``#`` for each hexadecimal digit: ``GPU-8f64`` to ``GPU-####``, ``0x1f`` to ``0x##``."""
    return _HEX.sub(lambda found: "#" if len(found[0]) == 1 else found[0], word)


def _is_telling(word: str) -> bool:
    return len(set(_HEX.findall(word)) - {"0x"}) >= _LEAST_DIFFERENT

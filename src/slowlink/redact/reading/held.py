"""Which readers a line concerns: all their marks, found in one scan.

A reader that takes something out needs some word in the line (``echo``, ``<<<``, the name of a program). There are
hundreds of such words, and a line of ten characters holds two of them as a rule. So each reader says once which words
it asks for, all of them are looked for at once, and a reader that asks for none of those found is not tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

_LONGEST_SCANNED = 400
"""In a longer text each word is looked for by itself, which has its price per word, and less per character."""
_AROUND = frozenset('<>"')
_REPLACEMENTS = (
    "<redacted:password> <redacted:secret> <redacted:token> <redacted:key> <redacted:private-key>"
    " <redacted:environment> <redacted:authorization> <redacted:base64> <redacted:signature>"
)
"""What stands in the place of secrets, and the signs that stand around it."""
_AS_ASCII = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"})
"""All that patterns which heed no case take for a letter of ASCII, too."""


class _Asked:
    """The words that readers have asked for, and who asks for each."""

    def __init__(self) -> None:
        self.readers = 0
        self.who: dict[str, int] = {}
        self._found: dict[str, int] = {}
        self._words: re.Pattern[str] | None = None
        self._new: dict[str, int] | None = None

    def add(self, words: tuple[str, ...]) -> int:
        bit = 1 << self.readers
        self.readers += 1
        for word in words:
            self.who[word] = self.who.get(word, 0) | bit
        self._words = self._new = None
        return bit

    def in_text(self, low: str) -> int:
        if len(low) > _LONGEST_SCANNED:
            signs = set(low)
            return reduce(or_, (who for word, who in self.who.items() if signs.issuperset(word) and word in low), 0)
        found = 0
        who = self._found
        for word in (self._words or self._compiled()).findall(low):
            found |= who[word]
        return found

    def after_change(self, low: str) -> int:
        """The bits of words that may be where something was replaced, and nowhere before."""
        if self._new is None:
            self._new = {
                word: who for word, who in self.who.items() if not _AROUND.isdisjoint(word) or word in _REPLACEMENTS
            }
        return reduce(or_, (who for word, who in self._new.items() if word in low), 0)

    def _compiled(self) -> re.Pattern[str]:
        """One pattern that finds at each place the longest word that begins there."""
        for word in self.who:
            self._found[word] = 0
            for end in range(1, len(word) + 1):
                self._found[word] |= self.who.get(word[:end], 0)
        self._words = re.compile(f"(?=({one_of(self.who)}))")
        return self._words


_ASKED = _Asked()


def ask_for(words: Iterable[str]) -> int:
    """A reader's bit in what ``held`` says. ``words``: in small letters; the reader needs one of them in a text."""
    return _ASKED.add(tuple(dict.fromkeys(words)))


def held(text: str) -> int:
    """The bits of all readers of whose words ``text`` holds one, whatever its case."""
    return _ASKED.in_text(_folded(text))


def held_after(text: str, words: int) -> int:
    """The same where secrets were replaced in what held ``words``; of a long text those that are gone, too."""
    low = _folded(text)
    return words | _ASKED.after_change(low) if len(low) > _LONGEST_SCANNED else _ASKED.in_text(low)


def _folded(text: str) -> str:
    return (text if text.isascii() else text.translate(_AS_ASCII)).lower()


def one_of(words: Iterable[str]) -> str:
    """A pattern of the longest of ``words`` at a place. Words share their beginnings in it: the number of words hardly
    matters."""
    tree: dict[str, Any] = {}
    for word in words:
        at = tree
        for sign in word:
            at = at.setdefault(sign, {})
        at[""] = {}
    return _alternatives(tree)


def _alternatives(tree: dict[str, Any]) -> str:
    """A pattern of the words of ``tree``, which share their beginnings; the longest that fits is found."""
    branches = [re.escape(sign) + _alternatives(below) for sign, below in sorted(tree.items()) if sign]
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 and "" not in tree else f"(?:{'|'.join(branches)})"
    return joined + "?" if "" in tree else joined

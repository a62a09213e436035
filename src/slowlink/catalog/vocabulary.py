"""What programs say when something is wrong, and what it means: ``vocabulary/<family>/<program>.toml``.

A document has entries ``[[meaning]]``; each is one meaning and lists the texts that have it, for a program says one
thing in many words. Documents are read one by one, when a log holds a line of that program: a log needs few of them.

A text is what the program prints, with ``{name}`` for a word that is kept under this name, ``{name...}`` for words up
to the next literal part (or the end), and ``{}`` for anything. ``^`` at its front ties it to the message's beginning.
Case does not matter. Of several texts that fit, the one with the most literal characters counts; those of an entry
that is ``broad`` count only where no other fits, and those that accuse the job's settings only where the message says
how they have to be. An entry without texts says what a kind means that a parser reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from msgspec import Struct

from slowlink.catalog.causes import all_causes
from slowlink.catalog.load import CatalogueError, names, table
from slowlink.model.report import Confidence, Severity
from slowlink.patterns import regex

MeaningClass = Literal["cause", "symptom", "fact", "harmless"]

LONGEST_VALUE = 200
"""Characters that are kept of one value."""
_PLACE = re.compile(r"\{(\w*)(\.\.\.)?\}")
_WORD = re.compile(r"[a-z_]{3,}")
_OF_SETTINGS = "job-configuration-wrong"
_DEMAND = regex(
    r"\b(?:must|should|cannot|can ?not|can't|needs?|requires?|required|expects?|expected|only|instead|either|please"
    r"|invalid|malformed|unknown|unexpected|unrecognized|unsupported|incompatible|missing|conflict\w*|exclusive|exceeds?"
    r"|greater|larger|smaller|does ?n[o']t|not (?:an?|in|be|set|specified|provided|supported|compatible|valid|allowed"
    r"|equal|divisible|implemented)|specify|provide|wrong|mismatch\w*|use|set|enabled?|disabled?)\b"
)
"""A message that refuses a setting says how it has to be; one that merely names it may be about anything."""
_NUMBER = re.compile(r"\d")
_NOUGHTS = str.maketrans("123456789", "0" * 9)
_BEGIN = "^"
_BEGIN_CHARACTERS = 3


class Meaning(Struct, frozen=True):
    """One entry: what its texts mean, whatever their words."""

    kind: str
    """``JobEvent.kind`` or ``LogWarning.message`` of a line that has this meaning."""
    program: str
    """The document's name: ``ucx``, ``mlx5`` ..."""
    sort: MeaningClass
    """``cause``: says what is wrong. ``symptom``: something failed, and the reason stands elsewhere. ``fact``: worth
    knowing, no fault. ``harmless``: means nothing, on purpose; its lines count as ignored."""
    says: str
    """What it means, as a part of a sentence: ``the completion queue overran``."""
    cause: str
    """The cause that the rule ``program-said`` names; "" where another rule asks for the kind, or none concludes
    anything from it."""
    severity: Severity
    confidence: Confidence
    explains: tuple[str, ...]
    """Causes that are symptoms of this one."""
    remedy: tuple[tuple[str, str], ...]
    """Pairs of words and command."""
    secondary: bool
    """Follows from another process's failure."""
    texts: tuple[str, ...]
    between_nodes: bool = False
    """Means something only where ranks are on several nodes."""
    broad: bool = False
    """Says no more than that the program complains, by words such as "failed" or "invalid": it keeps a line from being
    taken for more, and gives way to any text that names what the line is about."""


class Text(Struct, frozen=True):
    """One text, taken apart once. Searching for its literal parts one behind the other takes linear time."""

    meaning: Meaning
    anchored: bool
    literals: tuple[str, ...]
    """In lower case; one more than there are places."""
    places: tuple[tuple[str, bool], ...]
    """Name, and whether the value is one word."""
    weight: int
    """Literal characters."""

    def values(self, text: str, lower: str) -> dict[str, str] | None:
        """The values of a message with this text; None for another message."""
        at = lower.find(self.literals[0])
        if at < 0 or (at and self.anchored):
            return None
        found: dict[str, str] = {}
        begin = at + len(self.literals[0])
        for (name, one_word), literal in zip(self.places, self.literals[1:], strict=True):
            end = lower.find(literal, begin) if literal else _end_of(lower, begin, one_word)
            value = text[begin:end].strip()
            if end < 0 or (one_word and (not value or " " in value)):
                return None
            if name and value:
                found.setdefault(name, value[:LONGEST_VALUE].strip("\"'`,;()<> ") or value[:LONGEST_VALUE])
            begin = end + len(literal)
        return found


def _end_of(text: str, begin: int, one_word: bool) -> int:
    """Where the last value of a text ends."""
    if not one_word:
        return len(text)
    start = len(text) - len(text[begin:].lstrip())
    end = text.find(" ", start)
    return end if end >= 0 else len(text)


class Message:
    """A text as vocabularies search it, read once for all of them."""

    __slots__ = ("lower", "text", "words")

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.text = text if len(self.lower) == len(text) else self.lower  # some are longer in lower case
        self.words = frozenset(("", _BEGIN + self.lower[:_BEGIN_CHARACTERS], *_WORD.findall(self.lower)))


class Vocabulary:
    """The texts of one program, found by a word that each holds, or by the characters with which it begins."""

    def __init__(self, meanings: tuple[Meaning, ...]) -> None:
        self.meanings = meanings
        self._by_word: dict[str, list[tuple[str, Text]]] = {}
        for meaning in meanings:
            for text in meaning.texts:
                taken = taken_apart(meaning, text)
                key = word_of(taken) or _begin_of(taken)
                self._by_word.setdefault(key, []).append((max(taken.literals, key=len), taken))
        self.numbered = tuple(
            tuple(literal.translate(_NOUGHTS) for literal in taken.literals)
            for found in self._by_word.values()
            for _, taken in found
            if any(map(_NUMBER.search, taken.literals))
        )
        """The literal parts of the texts with numbers, with noughts for their digits."""
        self._words = frozenset(self._by_word)
        self._plain_words = frozenset(word for word in self._words if word and not word.startswith(_BEGIN))

    def may_know(self, message: Message) -> bool:
        """Does ``message`` hold a word by which some text is found?"""
        return not self._plain_words.isdisjoint(message.words)

    def knows_number(self, shape: str) -> bool:
        """May some text with a number in it fit a message of this shape: in small letters, with noughts for digits?"""
        return any(all(literal in shape for literal in literals) for literals in self.numbered)

    def find(self, message: Message) -> tuple[Meaning, dict[str, str]] | None:
        """What ``message`` means, with its values; None where no text fits."""
        text, lower = message.text, message.lower
        best: tuple[tuple[bool, int], Meaning, dict[str, str]] | None = None
        for word in sorted(message.words & self._words):  # always in the same order: two texts may fit equally well
            for literal, each in self._by_word[word]:
                if literal not in lower:  # most fail here, in one step and without a call
                    continue
                rank = (not each.meaning.broad, each.weight)
                if best is None or rank > best[0]:
                    values = each.values(text, lower)
                    if values is not None and (each.meaning.cause != _OF_SETTINGS or _DEMAND.search(lower)):
                        best = rank, each.meaning, values
        return None if best is None else best[1:]


def taken_apart(meaning: Meaning, text: str) -> Text:
    """A text's literal parts and places."""
    anchored = text.startswith("^")
    parts = _PLACE.split(text.removeprefix("^"))
    literals = tuple(part.lower() for part in parts[::3])
    places = tuple((name, bool(name) and not dots) for name, dots in zip(parts[1::3], parts[2::3], strict=True))
    return Text(meaning, anchored, literals, places, sum(map(len, literals)))


def word_of(text: Text) -> str:
    """The longest word that stands whole in every message with this text; "" where there is none."""
    whole, edge = [], []
    last = len(text.literals) - 1
    for number, literal in enumerate(text.literals):
        for found in _WORD.finditer(literal):
            # A word that touches a place, or the end of a text, may go on in what is there.
            first = bool(found.start()) or (not number and text.anchored)
            if first and found.end() < len(literal):
                whole.append(found.group())
            elif (first or not number) and (found.end() < len(literal) or number == last):
                edge.append(found.group())
    return max(whole or edge, key=len, default="")


def _begin_of(text: Text) -> str:
    """How every message with an anchored text begins; "" where it may begin in any way."""
    begin = text.literals[0][:_BEGIN_CHARACTERS]
    return _BEGIN + begin if text.anchored and len(begin) == _BEGIN_CHARACTERS else ""


@cache
def programs() -> tuple[str, ...]:
    """Every program with a document."""
    return tuple(_places())


@cache
def _places() -> dict[str, str]:
    """Program -> where its document is below ``vocabulary``."""
    return {PurePosixPath(name).stem: name for name in names("vocabulary")}


@cache
def vocabulary(program: str) -> Vocabulary:
    """The vocabulary of ``program``, read on first need. Raises CatalogueError where there is no such document."""
    return Vocabulary(tuple(_meanings(program)))


@cache
def joined(names: tuple[str, ...]) -> Vocabulary:
    """One vocabulary of several programs whose lines look the same."""
    return Vocabulary(tuple(meaning for name in names for meaning in vocabulary(name).meanings))


@cache
def meaning_of(program: str, kind: str) -> Meaning | None:
    """The meaning with this kind in a program's document; None for a kind that it does not have."""
    if program not in programs():
        return None
    return next((meaning for meaning in vocabulary(program).meanings if meaning.kind == kind), None)


def _meanings(program: str) -> Iterator[Meaning]:
    name = f"vocabulary/{_places()[program]}"
    for entry in table(name)["meaning"]:
        sort, cause = entry["class"], entry.get("cause", "")
        severity, confidence = entry.get("severity", "error"), entry.get("confidence", "likely")
        known = sort in get_args(MeaningClass) and severity in get_args(Severity) and confidence in get_args(Confidence)
        if not known or (cause and cause not in all_causes()):
            raise CatalogueError(f"{name}: {entry['kind']}: unknown class, cause, severity or confidence")
        yield Meaning(
            kind=entry["kind"],
            program=program,
            sort=sort,
            says=entry["says"],
            cause=cause,
            severity=severity,
            confidence=confidence,
            explains=tuple(entry.get("explains", ())),
            remedy=tuple((step[0], step[1] if len(step) > 1 else "") for step in entry.get("remedy", ())),
            secondary=entry.get("secondary", False),
            texts=_texts(entry),
            between_nodes=entry.get("between_nodes", False),
            broad=entry.get("broad", False),
        )


def _texts(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """One text a line: a block of lines needs no quotation marks."""
    return tuple(line.strip() for line in entry.get("texts", "").splitlines() if line.strip())

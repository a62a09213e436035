"""What a failing test of a health check means, from ``health_tests.toml``."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table
from slowlink.catalog.vocabulary import Message, vocabulary

UNKNOWN = "health-check-failed"


class Meaning(Struct, frozen=True):
    """One entry: the cause, and the signs of it."""

    cause: str
    errors: frozenset[int]
    words: re.Pattern[str] | None
    names: re.Pattern[str] | None


@cache
def meanings() -> tuple[Meaning, ...]:
    """Every entry, in the order of the file."""
    return tuple(
        Meaning(
            cause=entry["cause"],
            errors=frozenset(entry.get("errors", ())),
            words=re.compile(entry["words"], re.IGNORECASE) if "words" in entry else None,
            names=re.compile(entry["names"], re.IGNORECASE) if "names" in entry else None,
        )
        for entry in table("health_tests.toml").values()
    )


def cause_of(name: str, words: str, error: int | None) -> tuple[str, bool]:
    """The cause of a failing test, and whether that is sure: DCGM's own number says so, its words nothing else.

    ``name``: without the tool; ``words``: what the test says, "" for nothing.
    """
    numbered = next((entry.cause for entry in meanings() if error is not None and error in entry.errors), None)
    told = _told(words) if words else None
    if numbered is not None:
        return (numbered, True) if told in (None, numbered) else (told or numbered, False)
    if told is not None:
        return told, False
    return next((e.cause for e in meanings() if e.names is not None and e.names.fullmatch(name)), UNKNOWN), False


def _told(words: str) -> str | None:
    """The cause that a test's words name. Somebody reads them before any number."""
    said = vocabulary("dcgm").find(Message(words[:2000]))
    if said is not None and said[0].cause:
        return said[0].cause
    return next((e.cause for e in meanings() if e.words is not None and e.words.search(words[:2000])), None)

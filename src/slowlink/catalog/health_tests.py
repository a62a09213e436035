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
    """The cause of a failing test, and whether that is sure (DCGM's own number says so).

    ``name``: without the tool; ``words``: what the test says, "" for nothing.
    """
    for entry in meanings():
        if error is not None and error in entry.errors:
            return entry.cause, True
    said = vocabulary("dcgm").find(Message(words[:2000])) if words else None
    if said is not None and said[0].cause:
        return said[0].cause, False
    for entry in meanings():
        if entry.words is not None and entry.words.search(words[:2000]):
            return entry.cause, False
    for entry in meanings():
        if entry.names is not None and entry.names.fullmatch(name):
            return entry.cause, False
    return UNKNOWN, False

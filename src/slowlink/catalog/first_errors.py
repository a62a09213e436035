"""What the first error of a program means, where its words tell: ``first_errors.toml``."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table


class Told(Struct, frozen=True):
    """One entry."""

    cause: str
    words: re.Pattern[str]
    says: str
    remedy: tuple[tuple[str, str], ...]


@cache
def entries() -> tuple[Told, ...]:
    """Every entry, in the order of the file."""
    return tuple(
        Told(
            entry["cause"],
            re.compile(entry["words"], re.IGNORECASE),
            entry["says"],
            tuple((words, command) for words, command in entry["remedy"]),
        )
        for entry in table("first_errors.toml").values()
    )


def told_by(text: str) -> Told | None:
    """The first entry whose words stand in ``text``."""
    return next((entry for entry in entries() if entry.words.search(text)), None)

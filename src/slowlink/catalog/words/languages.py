"""How people say in other languages that a job is slow, hangs or crashes, from ``languages.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct, convert

from slowlink.catalog.load import table


class Language(Struct, frozen=True):
    """Regular expressions without groups; what each is for stands above the data."""

    sample: str
    job: str
    link: str
    denies: str
    slow: Mapping[str, str]
    """Mark -> the word in all its forms."""
    low: Mapping[str, str]
    hanging: Mapping[str, str]
    crashing: Mapping[str, str]
    reason: str
    mended: str
    may_be: str = ""
    may_be_behind: str = ""
    spaced: bool = True
    """Are there blanks between words? Then a word is matched as a whole."""


@cache
def languages() -> Mapping[str, Language]:
    """By their names in English, in the order of the file."""
    return convert(table("words/languages.toml"), dict[str, Language])


def any_language(field: str) -> str:
    """One pattern for a field of all languages: ``reason``, ``mended``, ``may_be``, ``may_be_behind``."""
    return "|".join(filter(None, (getattr(language, field) for language in languages().values())))

"""Parts, states, and what the two mean together: the words of ``complaints.toml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table


class Part(Struct, frozen=True):
    """One kind of part that can be complained of."""

    name: str
    words: re.Pattern[str]
    means: Mapping[str, str]
    """State -> cause."""
    needs: re.Pattern[str] | None
    """Must stand in the line, too: a fan of *what*?"""
    unless: re.Pattern[str] | None
    """Must not: a port of TCP is none of an HCA."""


@cache
def parts() -> tuple[Part, ...]:
    """Every part, the special before the general."""
    return tuple(
        Part(
            name,
            _whole(entry["words"]),
            entry["means"],
            re.compile(entry["needs"]) if "needs" in entry else None,
            re.compile(entry["unless"]) if "unless" in entry else None,
        )
        for name, entry in table("complaints.toml")["parts"].items()
    )


@cache
def states() -> Mapping[str, re.Pattern[str]]:
    """State -> its words; those that numbers decide are left out."""
    entries = table("complaints.toml")["states"]
    return {name: _whole(entry["words"], "|-[a-z]") for name, entry in entries.items() if "words" in entry}


def state_words() -> str:
    """All words for states, as one pattern about text in lower case."""
    entries = table("complaints.toml")["states"]
    return "|".join(f"(?:{entry['words']})" for entry in entries.values() if "words" in entry)


def _whole(words: str, nor: str = "") -> re.Pattern[str]:
    """Words that no letter continues, ``nor`` something else; an underscore or a digit may stand around them
    (``check_nvlink``)."""
    return re.compile(f"(?<![a-z])(?:{words})(?![a-z]{nor})")

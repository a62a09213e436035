"""What a change between two measurements says is wrong, from ``trials.toml``."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table
from slowlink.patterns import regex

_ON = r"on|enabled|loaded|active|=1|true|yes|with"
_OFF = r"off|disabled|unloaded|not loaded|inactive|=0|false|no|without|pt|passthrough"


class Switch(Struct, frozen=True):
    """A part that is on or off."""

    name: str
    on: bool
    cause: str
    """Where the test is slow in the state ``slow_when_on``."""
    slow_when_on: bool


def cause_of_setting(name: str, *, harmful: bool) -> str:
    """What is wrong where the test is slow with this variable (``harmful``), or without it."""
    known: dict[str, str] = table("words/trials.toml")["harmful" if harmful else "settings"]
    found = next((cause for begin, cause in known.items() if name.startswith(begin)), "")
    return found or ("tuning-harmful" if harmful else "tuning-missing")


def switch_in(label: str) -> Switch | None:
    """``ACS on``, ``without GDR``, ``IOMMU: disabled``."""
    text = label.strip().lower()
    for name, pattern, slow_when_on, cause in _switches():
        found = pattern.fullmatch(text)
        if found is not None:
            return Switch(name, found["on"] is not None or found["with"] is not None, cause, slow_when_on)
    return None


@cache
def _switches() -> tuple[tuple[str, re.Pattern[str], bool, str], ...]:
    found = []
    for name, (words, slow, cause) in table("words/trials.toml")["switches"].items():
        pattern = regex(
            rf"(?:(?:(?P<with>with|using)|without|no) (?:{words})"
            rf"|(?:{words})(?: is)?[ :=]{{0,3}}(?:(?P<on>{_ON})|(?:{_OFF})))(?: \(.{{0,60}}\))?"
        )
        found.append((name, pattern, slow == "on", cause))
    return tuple(found)

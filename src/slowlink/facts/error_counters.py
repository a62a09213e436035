"""Counters of errors that are not zero: one picture does not tell when they counted; they are named all the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from slowlink.catalog.attributes import attribute
from slowlink.facts.readings import latest_of_each
from slowlink.model.state import Reading

_WORDS = ("error", "discard", "drop", "down", "recover", "overrun", "retr", "timeout", "lost", "bad")
"""In the ids of counters of what should not happen; others count data, packets and waits."""


def nonzero_error_counters(readings: Iterable[Reading]) -> list[Reading]:
    """The last reading of each counter of errors that is above zero, the highest first."""
    errors = [r for r in readings if _counts_errors(r.attribute)]
    above = [r for r in latest_of_each(errors) if not isinstance(r.value, str) and r.value > 0]
    return sorted(above, key=lambda r: -float(r.value))


@cache  # the attributes of the catalogue; of readings there are millions
def _counts_errors(name: str) -> bool:
    return attribute(name).kind == "counter" and any(word in name for word in _WORDS)

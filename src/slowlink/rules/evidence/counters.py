"""Counters that were read twice or more: which grew, and the lines that show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.facts.readings import Growth, growth
from slowlink.model.report import Evidence
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import line_evidence


def growth_of_each(readings: Iterable[Reading]) -> list[Growth]:
    """How each counter of each part grew, one attribute after the other (``growth`` takes readings of one)."""
    by_attribute: dict[str, list[Reading]] = {}
    for reading in readings:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    return [grown for series in by_attribute.values() for grown in growth(series)]


def growth_evidence(grown: Sequence[Growth], most: int = 4) -> tuple[Evidence, ...]:
    """The last line of the first ``most`` counters, with the last value and the first."""
    return tuple(line_evidence(g.last.ref, f"{g.last.value}", f"as before: {g.first.value}") for g in grown[:most])

"""Counters: which grew between readings, which stand far above those of their like, and the lines that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from slowlink.facts.readings import Growth, growth, latest, node_of
from slowlink.model.report import Evidence
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import line_evidence


def growth_of_each(readings: Iterable[Reading]) -> list[Growth]:
    """How each counter of each part grew, one attribute after the other (``growth`` takes readings of one)."""
    by_attribute: dict[str, list[Reading]] = {}
    for reading in readings:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    return [grown for series in by_attribute.values() for grown in growth(series)]


def far_above_their_like(
    readings: Iterable[Reading], many: int, times: int, total: Callable[[Reading], int]
) -> list[Reading]:
    """The last reading of each port whose counter is ``many`` at least, and ``times`` as high as that of any other of
    its like on the node, of which there must be two. They have been through the same restarts. Give it readings of one
    attribute."""
    rows: dict[tuple[str, str], list[Reading]] = {}
    for each in latest(readings).values():
        kind = "".join("#" if character.isdecimal() else character for character in each.part.name)
        rows.setdefault((node_of(each), kind), []).append(each)
    ordered = [sorted(row, key=total, reverse=True) for row in rows.values() if len(row) > 2]
    return [row[0] for row in ordered if total(row[0]) >= max(many, times * total(row[1]))]


def growth_evidence(grown: Sequence[Growth], most: int = 4) -> tuple[Evidence, ...]:
    """The last line of the first ``most`` counters, with the last value and the first."""
    return tuple(line_evidence(g.last.ref, f"{g.last.value}", f"as before: {g.first.value}") for g in grown[:most])

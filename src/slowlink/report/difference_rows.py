"""The minority report as rows: what differs, and who says what."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.report import Difference, Report, SaidBy
from slowlink.report.wording import count


class DifferenceRow(Struct, frozen=True):
    """One attribute that is not the same on all nodes."""

    what: str
    """``gpu [0-7]: persistence mode``."""
    most: str
    """``on: 14 nodes``; names where they are few."""
    others: tuple[str, ...]
    """``off: node[07,12]``."""
    matters: int


def difference_rows(report: Report) -> tuple[DifferenceRow, ...]:
    """All differences, in the order of the report."""
    return tuple(map(_row, report.differences))


def _row(difference: Difference) -> DifferenceRow:
    most, *others = difference.said
    unit = f" {difference.unit}" if difference.unit else ""
    nodes = sum(said.count for said in difference.said)
    return DifferenceRow(
        what=(f"{difference.parts}: " if difference.parts else "") + difference.title,
        most=_by_count(most, unit) if 2 * most.count > nodes and most.count > 2 else _by_name(most, unit),
        others=tuple(_by_name(said, unit) for said in others),
        matters=difference.matters,
    )


def _by_count(said: SaidBy, unit: str) -> str:
    return f"{said.value}{unit}: {count(said.count, 'node')}"


def _by_name(said: SaidBy, unit: str) -> str:
    return f"{said.value}{unit}: {said.nodes}"

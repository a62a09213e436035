"""Cells, and the expectations that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slowlink.model.acceptance import Cell, CellState, Limit

WORST_FIRST: tuple[CellState, ...] = ("fail", "not-measured", "open", "pass")


class Limits:
    """Every expectation once, in the order of its first use."""

    def __init__(self) -> None:
        self._places: dict[Limit, int] = {}

    def place(self, expected: str, basis: str) -> int:
        return self._places.setdefault(Limit(expected, basis), len(self._places))

    @property
    def all(self) -> tuple[Limit, ...]:
        return tuple(self._places)


def best_of(cells: Sequence[Cell]) -> Cell | None:
    """One answer of several measurements of one thing: one that failed, else the highest that passed, else any."""
    if not cells:
        return None
    failed = [cell for cell in cells if cell.state == "fail"]
    passed = [cell for cell in cells if cell.state == "pass"]
    several = f"; one of {len(cells)} measurements" if len(cells) > 1 else ""
    chosen = failed[0] if failed else max(passed, key=_number, default=cells[0])
    return replace(chosen, why=(chosen.why + several).removeprefix("; ")) if several else chosen


def _number(cell: Cell) -> float:
    try:
        return float(cell.measured)
    except ValueError:
        return 0.0


def worst_state(cells: Iterable[tuple[bool, Cell]]) -> CellState:
    """Of cells with whether they are required: a failure always counts."""
    states = {cell.state for required, cell in cells if required or cell.state == "fail"}
    return next((state for state in WORST_FIRST if state in states), "not-measured")

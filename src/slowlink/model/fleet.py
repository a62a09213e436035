"""What the newest reports say of each node, check by check; before any page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

CellState = Literal["broken", "degraded", "warned", "sound", "unknown"]
STATES: tuple[CellState, ...] = ("broken", "degraded", "warned", "sound", "unknown")
"""The worst first; what nobody looked at comes last, and is not sound."""


class FleetCell(Struct, frozen=True):
    """One check of one node."""

    state: CellState
    cause: str = ""
    """What was found; "" where nothing was."""
    run_id: int = 0
    """The report that says so; 0 where none does."""
    at: float = 0.0
    """When it was measured, seconds since the epoch."""
    of_all: bool = False
    """The finding names no node: it holds for all nodes of that report."""


UNKNOWN = FleetCell("unknown")


class FleetNode(Struct, frozen=True):
    """One node."""

    name: str
    cells: Mapping[str, FleetCell]
    """By check; one that is not there is unknown."""
    newest_at: float
    newest_run: int

    @property
    def state(self) -> CellState:
        """Of its worst check; sound where one at least is, and none is worse."""
        return min((cell.state for cell in self.cells.values()), key=STATES.index, default="unknown")


class Fleet(Struct, frozen=True):
    """All nodes that some report of the time knows."""

    nodes: tuple[FleetNode, ...]
    reports: int
    """So many were read."""
    unreadable: int
    """Reports that are not there any more, too large to be kept, or damaged: what they say is in no cell."""
    left_out: int
    """Older ones of so many commands and sets of nodes."""

"""Parts as one process saw them: ``mlx5_0 (process 4100)``."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.facts.readings import nodes_of
from slowlink.model.report import Suspect
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import suspects
from slowlink.rules.evidence.node_readings import node_suspects


def device_of(reading: Reading) -> str:
    """The part itself: ``mlx5_0``."""
    return reading.part.name.partition(" (process ")[0]


def hca_suspects(readings: Sequence[Reading]) -> tuple[Suspect, ...]:
    """``node07 mlx5_0``, and the nodes."""
    names = (" ".join((*nodes_of([reading]), device_of(reading))) for reading in readings)
    return (*suspects("hca", names), *node_suspects(readings))

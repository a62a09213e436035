"""Where a hanging job stands: flight recorders of all ranks joined, and the answers of NCCL's RAS over time."""

from __future__ import annotations

from slowlink.facts.hang.flights import flights
from slowlink.facts.hang.ras import ras
from slowlink.facts.hang.summary import summarise_hang
from slowlink.model.hang import Injected, RasQuestions
from slowlink.model.records import Records

__all__ = ["flights", "injected", "ras", "ras_questions", "summarise_hang"]


def injected(records: Records) -> Injected | None:
    """Faults that were injected on purpose; None when no such note was read."""
    return Injected(records.injected) if records.injected else None


def ras_questions(records: Records) -> RasQuestions | None:
    """Addresses of RAS that slowlink asked; None where it asked none."""
    return RasQuestions(records.ras_asked) if records.ras_asked else None

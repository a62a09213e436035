"""Columns of timed calls, one for each rank and communicator, joined into tables of calls by ranks."""

from __future__ import annotations

from slowlink.facts.timed.join import timed

__all__ = ["timed"]

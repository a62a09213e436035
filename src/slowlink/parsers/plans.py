"""Who wants lines of a shape: asked once, and remembered for all sources."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.interface import LineParser
from slowlink.parsers.lines import Dialect, Prefix

_MAX_DIALECTS = 16


class Plan(NamedTuple):
    """What to do with every line of one shape."""

    prefix: Prefix
    wanted_by: tuple[int, ...]
    opens_json: bool


_PLANS: dict[tuple[tuple[type[LineParser], ...], Dialect], dict[bytes, Plan]] = {}


def plans_of(parsers: tuple[type[LineParser], ...], dialect: Dialect) -> dict[bytes, Plan]:
    """Shape -> plan, of all sources with this dialect. Thousands may be alike: a transcript of each node."""
    if len(_PLANS) >= _MAX_DIALECTS:
        _PLANS.clear()
    return _PLANS.setdefault((parsers, dialect), {})

"""Rows from decoded values (JSON, CSV), and the odd ways in which these programs write numbers and truth there."""

from __future__ import annotations

import math

from slowlink.parsers.benchmarks.nccl_tests.cells import NO_CELL, Cell, State, is_rounding
from slowlink.parsers.benchmarks.nccl_tests.rows import Side

_SIX_DECIMALS = 5e-7
"""Doubles are written with ``%lf``."""


def number(value: object) -> float | None:
    """A finite number, also when it stands there as text (``"nan"`` is none, nor is a truth value)."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | str)
        or (isinstance(value, str) and len(value) > 40)
    ):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def integer(value: object) -> int | None:
    """A whole number within 63 bits, also as padded text (``"    -1"``)."""
    result = number(value)
    if result is None or result != int(result) or abs(result) >= 1 << 63:
        return None
    return int(value) if isinstance(value, int | str) and not isinstance(value, bool) and _plain(value) else int(result)


def _plain(value: int | str) -> bool:
    return isinstance(value, int) or value.strip().lstrip("+-").isdecimal()


def truth(value: object) -> bool | None:
    """``true``, ``"true"``, ``"false"``; None for anything else (``"unchecked"``)."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def text(value: object) -> str | None:
    """A string as it is, None for anything else or an empty one."""
    return value if isinstance(value, str) and value else None


def mapping(value: object) -> dict[str, object]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """A JSON array, or an empty one."""
    return value if isinstance(value, list) else []


def cell(value: object) -> Cell:
    """A measured value; JSON null and ``N/A`` are absent."""
    result = number(value)
    if result is not None:
        return Cell("", State.NUMBER, result, _SIX_DECIMALS)
    return NO_CELL if value is None else Cell("", State.ABSENT)


def side(placement: str, time: object, algbw: object, busbw: object, wrong: object, *, cpu_time: bool = False) -> Side:
    """The measured values of one placement."""
    checked = cell(wrong)
    wrong_or_delta = (NO_CELL, checked) if is_rounding(checked) else (checked, NO_CELL)
    return Side(placement, cell(time), cell(algbw), cell(busbw), *wrong_or_delta, cpu_time=cpu_time)

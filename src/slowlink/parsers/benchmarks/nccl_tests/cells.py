"""One cell of a result table: its value, and how precisely it was printed."""

from __future__ import annotations

import math
from enum import Enum
from functools import lru_cache

from msgspec import Struct

from slowlink.patterns import regex
from slowlink.units import parse_size

_NUMBER = regex(r"[+-]?(?:\d{1,24}(?:\.(\d{0,16}))?|\.(\d{1,16}))(?:[eE]([+-]?\d{1,3}))?\Z")
_GROUPED = regex(r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,12}(?:_\d{3}){1,6})\Z")
_MASKED = regex(r"[Xx]{2,16}(?:\.[Xx]{1,16})?\Z")
_SIZE_WITH_UNIT = regex(r"\d{1,12}(?:\.\d{1,6})?(?:[KMGTkmgt]i?[Bb]?|[Bb])\Z")
_RATE = regex(r"([+-]?\d{1,12}(?:\.\d{0,6})?)([KMGT]i?[Bb](?:ps|/s|/sec))\Z")
_ABSENT = {"n/a", "na", "-", "--", "nan", "-nan", "+nan", "inf", "-inf", "+inf"}
_DATATYPE = regex(r"(?:u?int\d{0,2}|char|half|float\d{0,2}|double|b(?:f|float)\d\d|fp?\d{1,2}(?:_?e\dm\d\w{0,4})?)\Z")
_REDOPS = frozenset({"sum", "prod", "min", "max", "avg", "mulsum", "none", "premulsum"})
_LARGEST_BYTES = 1 << 60
_FIRST_EXPONENT_OF_G = 6
"""``%g`` writes smaller whole numbers out."""
RATES_TO_GBS = {
    "gb/s": 1.0,
    "gbps": 1.0,
    "gb/sec": 1.0,
    "mb/s": 1e-3,
    "gib/s": 1.073741824,
    "gibps": 1.073741824,
    "tb/s": 1e3,
}


class State(Enum):
    """What a cell of a row holds: a number, or which kind of nothing."""

    NUMBER = "number"
    ABSENT = "absent"
    """``N/A``, ``nan``: printed, and says that there is no number."""
    MASKED = "masked"
    """``XXX.XX``: somebody took the number out."""
    TORN = "torn"
    """Text that is no number."""
    MISSING = "missing"
    """The row ends before it."""


class Cell(Struct, frozen=True):
    """``half_unit`` is half of the last printed digit, in the units of ``value``."""

    text: str
    state: State
    value: float | None = None
    half_unit: float = 0.0


NO_CELL = Cell("", State.MISSING)


@lru_cache(maxsize=8192)
def parse_cell(text: str, unit: str | None = None) -> Cell:
    """A number as nccl-tests and its relatives print it; asterisks after it (RCCL) fall off."""
    bare = text.rstrip("*") or text
    if bare.lower() in _ABSENT:
        return Cell(text, State.ABSENT)
    if _MASKED.match(bare):
        return Cell(text, State.MASKED)
    scale = rate_scale(unit)
    rate = _RATE.match(bare)
    if rate is not None:
        bare, scale = rate.group(1), rate_scale(rate.group(2))
    if _GROUPED.match(bare):
        bare = bare.replace("_", "").replace(",", "")
    match = _NUMBER.match(bare)
    value = float(bare) if match is not None else math.inf
    if match is None or not math.isfinite(value):
        return Cell(text, State.TORN)
    decimals = len(match.group(1) or match.group(2) or "")
    half_unit = 0.5 * 10.0 ** min(int(match.group(3) or 0) - decimals, 300)
    return Cell(text, State.NUMBER, value * scale, half_unit * scale)


def is_rounding(cell: Cell) -> bool:
    """Is this a rounding difference, and no number of wrong elements? These are whole, and printed with ``%g``.

    Versions before 2.13 print the largest difference in the same place, with ``%5.0le``: ``2e-07``, ``0e+00``.
    """
    if cell.value is None:
        return False
    match = _NUMBER.match(cell.text)
    small_exponent = match is not None and match.group(3) is not None and int(match.group(3)) < _FIRST_EXPONENT_OF_G
    return small_exponent or not cell.value.is_integer()


def rate_scale(unit: str | None) -> float:
    """Factor to GB/s: ``Gb/s`` and ``Gbps`` are gigabits, ``GB/s`` and ``GBps`` gigabytes; others count as GB/s."""
    if unit is None:
        return 1.0
    if "b" in unit and unit[:1] in {"G", "M", "T"} and not unit.startswith(("GB", "MB", "TB", "Gi", "Mi")):
        return {"G": 0.125, "M": 0.125e-3, "T": 125.0}[unit[0]]
    return RATES_TO_GBS.get(unit.lower(), 1.0)


def parse_bytes(text: str) -> int | None:
    """The size column: ``8589934592``, ``17_179_869_184``, ``32KiB``; None for anything else."""
    if _GROUPED.match(text):
        text = text.replace("_", "").replace(",", "")
    value: int | None = None
    if text.isascii() and text.isdecimal() and len(text) <= 19:
        value = int(text)
    elif _SIZE_WITH_UNIT.match(text):
        value = parse_size(text)
    return value if value is not None and value <= _LARGEST_BYTES else None


def parse_count(text: str) -> int | None:
    """The count column: an integer, or ``2.68e+8`` from somebody's shortened table."""
    cell = parse_cell(text)
    if cell.value is None or not 0 <= cell.value <= _LARGEST_BYTES:
        return None
    return int(text) if text.isascii() and text.isdecimal() else int(cell.value)


@lru_cache(maxsize=1024)
def is_datatype(text: str) -> bool:
    """``float``, ``bfloat16``, ``f8e4m3``, ``fp8_e5m2`` ..."""
    return _DATATYPE.match(text) is not None


def is_redop(text: str) -> bool:
    """``sum`` ... ``none``."""
    return text in _REDOPS


def is_value(text: str) -> bool:
    """Could this token belong to a measured column?"""
    return parse_cell(text).state is not State.TORN

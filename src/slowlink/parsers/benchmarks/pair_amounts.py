"""Amounts in a column of somebody's sheet: numbers, with a unit or a decimal comma where the column leaves no doubt."""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.parsers.benchmarks.pair_rows import unit_of
from slowlink.patterns import regex

_QUOTES = "\"'*`"
_NUMBER = regex(r"\d{1,9}(?:\.\d{1,9})?(?:e[+-]?\d{1,2})?")
_COMMA = regex(r"\d{1,9},\d{1,9}")
_THOUSANDS = regex(r"\d{1,3},\d{3}")
_WITH_UNIT = regex(r"(?P<number>\d{1,9}(?:[.,]\d{1,9})?)\s{0,4}(?P<unit>[GMgm]i?(?:[Bb]|bit)(?:/s(?:ec)?|ps))")


def number_in(cell: str) -> float | None:
    """A plain number; None where the cell is anything else."""
    text = cell.strip().strip(_QUOTES)
    return float(text) if _NUMBER.fullmatch(text) else None


def has_unit(cell: str) -> bool:
    """Is it a number with a unit of bandwidth behind it?"""
    return _WITH_UNIT.fullmatch(cell.strip().strip(_QUOTES)) is not None


class Amounts:
    """Reads the cells of one column."""

    def __init__(self, name: str, cells: Iterable[str]) -> None:
        """``name``: of the column; where it has a unit, or else where all units are one, a number may have it, too."""
        texts = {cell.strip().strip(_QUOTES) for cell in cells}
        found = {text: match for text in texts if (match := _WITH_UNIT.fullmatch(text)) is not None}
        units = {match["unit"] for match in found.values()}
        self.unit = unit_of(name) or (next(iter(units)) if len(units) == 1 else "")
        numbers = texts - found.keys() | {match["number"] for match in found.values()}
        with_comma = {text for text in numbers if _COMMA.fullmatch(text)}
        # 1,234 may be a thousand and more; a point beside it, or only such, leaves that open.
        points = any("." in text and _NUMBER.fullmatch(text) for text in numbers)
        self._comma = not points and any(not _THOUSANDS.fullmatch(text) for text in with_comma)

    def of(self, cell: str) -> float | None:
        """None where the cell holds no number, or nobody knows which."""
        text = cell.strip().strip(_QUOTES)
        found = _WITH_UNIT.fullmatch(text)
        if found is not None:
            if found["unit"] != self.unit:
                return None
            text = found["number"]
        if self._comma and _COMMA.fullmatch(text):
            text = text.replace(",", ".")
        return number_in(text)

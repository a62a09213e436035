"""A series as dots in a terminal: braille, two by four in a character, or stars where a terminal has no others."""

from __future__ import annotations

from collections.abc import Sequence

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille pattern, row by row."""
_BRAILLE = 0x2800


def plot(values: Sequence[float], marks: Sequence[int], *, width: int, height: int, plain: bool = False) -> list[str]:
    """Lines with a scale at the left, in order of the values; below, ``^`` where a value of ``marks`` stands.

    ``width`` (characters, with the scale) and ``height`` (lines) bound it; empty without values.
    """
    if not values:
        return []
    low, high = min(values), max(values)
    labels = [f"{high:.4g}", f"{low:.4g}"]
    margin = max(map(len, labels)) + 1
    columns = max(10, min(width - margin, len(values)))
    cells = [[0] * columns for _ in range(height)]
    for number, value in enumerate(values):
        across = _place(number, len(values), 2 * columns)
        down = round((high - value) / (high - low) * (4 * height - 1)) if high > low else 2 * height
        cells[down // 4][across // 2] |= _DOTS[down % 4][across % 2]
    lines = []
    for number, row in enumerate(cells):
        label = labels[0] if number == 0 else labels[1] if number == height - 1 else ""
        lines.append((f"{label:>{margin - 1}} " + "".join(_drawn(bits, plain) for bits in row)).rstrip())
    if marks:
        places = {_place(mark, len(values), 2 * columns) // 2 for mark in marks}
        lines.append(" " * margin + "".join("^" if at in places else " " for at in range(columns)).rstrip())
    return lines


def _place(number: int, count: int, dots: int) -> int:
    return min(dots - 1, (number * dots + dots // 2) // count)


def _drawn(bits: int, plain: bool) -> str:
    if not bits:
        return " "
    return "*" if plain else chr(_BRAILLE + bits)

"""Names in the order of their numbers."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"([0-9]{1,18})")


def by_numbers(name: str) -> list[tuple[int, str]]:
    """The key to sort by: ``mlx5_2`` before ``mlx5_10``, ``gpu9`` before ``gpu10``."""
    return [(int(piece) if piece.isdecimal() else 0, piece) for piece in _DIGITS.split(name)]

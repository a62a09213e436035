"""Channel lines of a part that machine code took apart (``native/``): columns of numbers, and their few texts."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple


class SiftedEdges(NamedTuple):
    """A row for each channel line that says something new, in order. What it says twice is counted."""

    place: memoryview[int]
    """Its line in the part."""
    lines: memoryview[int]
    """How many lines say so."""
    src: memoryview[int]
    dst: memoryview[int]
    prefix: memoryview[int]
    kind: memoryview[int]
    number: memoryview[int]
    prefixes: list[str]
    kinds: list[tuple[str, str, str | None, int | None, str]]
    """Devices of the ranks, side, connection, and the text behind ``via``."""
    numbers: list[str]
    """Of channels, as printed."""

    @classmethod
    def of(
        cls,
        columns: list[bytes],
        prefixes: list[str],
        kinds: list[tuple[str, str, str | None, int | None, str]],
        numbers: list[str],
    ) -> SiftedEdges:
        place, lines, src, dst, prefix, kind, number = (memoryview(each).cast("I") for each in columns)
        return cls(place, lines, src, dst, prefix, kind, number, prefixes, kinds, numbers)

    def rows(self, start: int, end: int) -> range:
        """The rows of the lines from ``start`` to before ``end``."""
        return range(bisect_left(self.place, start), bisect_left(self.place, end))

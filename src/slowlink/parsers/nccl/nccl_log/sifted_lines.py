"""NCCL's lines of a part that machine code took apart (``native/``): columns of numbers, and their few texts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

Kind = tuple[str, str, "str | None", "int | None", str]
"""Of a channel line: devices of the ranks, side, connection, and the text behind ``via``."""


class SiftedLines:
    """A row for each line that says something new, in order. What is said again is counted."""

    def __init__(self, columns: list[bytes], prefixes: list[str], kinds: list[Kind | str], numbers: list[str]) -> None:
        """``kinds``: a text is how lines begin of which nothing is read; they have no ranks and no number.
        ``numbers``: of channels, as printed."""
        self.place, self.lines, self.src, self.dst, self.prefix, self.kind, self.number = (
            memoryview(each).cast("I") for each in columns
        )
        self.prefixes, self.kinds, self.numbers = prefixes, kinds, numbers
        self.quiet = {number: kind for number, kind in enumerate(kinds) if isinstance(kind, str)}
        """How quiet lines begin, by their kinds."""

    def rows(self, start: int, end: int) -> range:
        """The rows of the lines from ``start`` to before ``end``."""
        return range(bisect_left(self.place, start), bisect_left(self.place, end))

    def channels(self, rows: range) -> Sequence[int]:
        """Those of channels."""
        return [row for row in rows if self.kind[row] not in self.quiet] if self.quiet else rows

    def numbers_of(self, rows: Sequence[int]) -> list[Sequence[int]]:
        """All columns at some rows: place, lines, ranks, prefix, kind and number."""
        columns = (self.place, self.lines, self.src, self.dst, self.prefix, self.kind, self.number)
        if isinstance(rows, range):
            return [column[rows.start : rows.stop] for column in columns]
        return [[column[row] for row in rows] for column in columns]

"""Lines that a ``TAKER`` takes out of a text as bytes, before the scan: a blank line stays in the place of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from slowlink.model.source import SourceStats
from slowlink.parsers import takers
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.forms.limit import Limit, Room, kept_in, not_all_kept

_LONGEST = 1 << 20
"""Bytes of a line that may be taken; a longer one is no record of those that fill files."""

_BLANK = b" "
"""A line still, where no line end follows it."""


class Taken:
    """What takers take of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at_work: dict[Any, Any] = {}
        """By its class, each taker that has found a line of its own."""
        self._first: dict[str, int] = {}
        self._passed: list[Limit] = []
        self._room = Room(self._passed.append)
        self._lines = 0
        """Before what is held."""
        self._used = 0

    def passing(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes without the lines that are taken, in pieces that end with a line where they can."""
        held = b""
        for chunk in chunks:
            cut = chunk.rfind(b"\n") + 1
            if cut:
                yield self._without_taken(held + chunk[:cut] if held else chunk[:cut])
                held = chunk[cut:]
            else:
                held += chunk
            if len(held) > _LONGEST:
                yield held
                held = b""
        if held:
            yield self._without_taken(held, last=True)

    def _without_taken(self, piece: bytes, *, last: bool = False) -> bytes:
        units = [unit for unit in takers() if unit.begins in piece]
        if units:
            with kept_in(self._room):
                for unit in units:
                    piece = self._take(unit, piece, last=last)
        self._lines += piece.count(b"\n")
        return piece

    def _take(self, unit: Any, piece: bytes, *, last: bool) -> bytes:
        taker, begins = self._at_work.get(unit.kind), unit.begins
        lines = piece.split(b"\n")
        for place, line in enumerate(lines):
            if not line.startswith(begins):
                continue
            if taker is None:
                taker = self._at_work.setdefault(unit.kind, unit(self._source))
            if taker.take(line, self._lines + place + 1):
                self._first.setdefault(unit.kind, self._lines + place + 1)
                self._used += 1
                lines[place] = _BLANK
            elif last and unit.kind in self._first:  # it was being written
                lines[place] = _BLANK
        return b"\n".join(lines)

    def records(self) -> list[Record]:
        """All that was taken, after the last line."""
        return [record for taker in self._at_work.values() for record in taker.finish()]

    def counted(self, stats: SourceStats) -> SourceStats:
        """``stats`` of a source in which blank lines stand for those that were taken."""
        if not self._first:
            return stats
        kinds = (*sorted(self._first, key=self._first.__getitem__), *stats.kinds)
        limit = next((not_all_kept(limit, kinds[0]) for limit in self._passed), None)
        return replace(
            stats,
            kinds=tuple(dict.fromkeys(kinds)),
            used=stats.used + self._used,
            ignored=stats.ignored - self._used,
            problem=stats.problem or limit,
            partial=stats.partial or limit is not None,
        )

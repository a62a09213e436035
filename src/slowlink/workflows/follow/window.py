"""The last calls of every rank: memory grows with ranks and communicators, and not with time."""

from __future__ import annotations

from typing import Any

from slowlink.model.timed_calls import TimedCalls
from slowlink.parsers import takers
from slowlink.workflows.follow.growing import Growing, GrowingFiles, Identity

_SILENT_S, _SILENT_TIMES = 60.0, 3
_SNIFFED_LINES = 200
"""Of a file that begins with so many lines of no taker nothing more is read: it is for the report at the end."""


class Window:
    """Feeds what files gained to the takers of its lines, and forgets what is old."""

    def __init__(self, calls: int) -> None:
        self._keep = calls
        self._takers: dict[Identity, dict[str, Any]] = {}
        self.taken = 0
        """Calls in all."""
        self.others = 0
        """Files that hold none."""

    def look(self, files: GrowingFiles) -> int:
        """Read what was added. Gives the number of new calls."""
        before = self.taken
        for file, lines in files.added():
            self._take(file, lines)
        for identity in self._takers.keys() - files.files.keys():
            del self._takers[identity]
        self.others = sum(file.skipped for file in files.files.values())
        return self.taken - before

    def _take(self, file: Growing, lines: list[bytes]) -> None:
        mine = self._takers.setdefault(file.identity, {})
        for number, line in enumerate(lines, file.lines + 1):
            for unit in takers():
                if line.startswith(unit.begins):
                    taker = mine.get(unit.kind) or mine.setdefault(unit.kind, unit(file.name))
                    self.taken += taker.take(line, number)
                    break
        if not mine and file.lines + len(lines) >= _SNIFFED_LINES:
            file.skipped = True
        for taker in mine.values():
            taker.keep_last(self._keep)

    def columns(self) -> list[TimedCalls]:
        """The last calls of all ranks, without communicators that are no longer used."""
        every = [
            record
            for mine in self._takers.values()
            for taker in mine.values()
            for record in taker.finish()
            if isinstance(record, TimedCalls)
        ]
        ends = [_ends(record) for record in every]
        newest = max((last for _, last in ends), default=0.0)
        return [record for record, (first, last) in zip(every, ends, strict=True) if not _is_over(first, last, newest)]


def _ends(calls: TimedCalls) -> tuple[float, float]:
    """When the first and the last were written down; 0 where nothing tells."""
    ended = memoryview(calls.ended).cast("d")
    return ended[0], ended[-1]


def _is_over(first: float, last: float, newest: float) -> bool:
    """Has it been silent for much longer than its calls go back? A job that was started again has new ones."""
    return 0 < last < newest - max(_SILENT_S, _SILENT_TIMES * (last - first))

"""The last calls of every rank: memory grows with ranks and communicators, and not with time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from slowlink.model.timed_calls import TimedCalls
from slowlink.parsers import takers
from slowlink.workflows.follow.growing import Growing, GrowingFiles, Identity
from slowlink.workflows.follow.over import Nodes, is_silent

_SNIFFED_LINES = 200
"""Of a file that begins with so many lines of no taker nothing more is read: it is for the report at the end."""


class Window:
    """Feeds what files gained to the takers of its lines, and forgets what is old."""

    def __init__(self, calls: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._keep = calls
        self._clock = clock
        self._takers: dict[Identity, dict[str, Any]] = {}
        self._grew: dict[_Owner, tuple[_Mark, float]] = {}
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
        if file.lines == 0:
            self._takers.pop(file.identity, None)  # written anew: what it held before is gone
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
        """The last calls of all ranks, without processes that ended and communicators that are no longer used."""
        every = [
            (identity, record)
            for identity, mine in self._takers.items()
            for taker in mine.values()
            for record in taker.finish()
            if isinstance(record, TimedCalls)
        ]
        nodes = Nodes(calls for _, calls in every)
        now, before = self._clock(), self._grew
        self._grew = {}
        found = []
        for identity, calls in every:
            owner, mark = (identity, calls.comm, calls.rank, calls.host, calls.pid), _mark_of(calls)
            known = before.get(owner)
            _, grew = self._grew[owner] = known if known is not None and known[0] == mark else (mark, now)
            if not is_silent(calls, now - grew) and not nodes.is_over(calls):
                found.append(calls)
        return found


_Owner = tuple[Identity, str, int, str | None, int | None]
_Mark = tuple[int, bytes, bytes, bytes]


def _mark_of(calls: TimedCalls) -> _Mark:
    """Another one when there are new calls."""
    return len(calls), calls.number[-4:], calls.time_us[-4:], calls.ended[-8:]

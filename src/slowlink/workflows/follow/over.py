"""What is over: communicators that are no longer used, and processes that ended.

Clocks of nodes differ and are not compared: silence is told by our own clock, or by other calls of the same node.
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.timed_calls import TimedCalls

_SILENT_S, _SILENT_TIMES = 60.0, 3
_Process = tuple[str, int]


def is_silent(calls: TimedCalls, silent_s: float) -> bool:
    """Is ``silent_s`` much longer than its calls go back?"""
    first, last = _ends(calls)
    return silent_s > max(_SILENT_S, _SILENT_TIMES * (last - first))


class Nodes:
    """When the calls of each node, and of each of its processes, began and ended, by the clock of the node."""

    def __init__(self, every: Iterable[TimedCalls]) -> None:
        self._newest: dict[str, float] = {}
        self._began: dict[_Process, float] = {}
        self._last: dict[_Process, float] = {}
        for calls in every:
            first, last = _ends(calls)
            if calls.host is None or first <= 0 or calls.own_clock:
                continue
            self._newest[calls.host] = max(self._newest.get(calls.host, 0.0), last)
            if calls.pid is not None:
                process = calls.host, calls.pid
                self._began[process] = min(self._began.get(process, first), first)
                self._last[process] = max(self._last.get(process, 0.0), last)
        self._latest: dict[str, float] = {}
        """When the youngest process of each node began."""
        for (host, _), began in self._began.items():
            self._latest[host] = max(self._latest.get(host, 0.0), began)

    def is_over(self, calls: TimedCalls) -> bool:
        """Has its communicator been silent for long? Or has its process been for a minute, and another began since?
        Then the job was started again."""
        newest = self._newest.get(calls.host or "")
        if newest is None or calls.own_clock or _ends(calls)[1] <= 0:
            return False
        if is_silent(calls, newest - _ends(calls)[1]):
            return True
        if calls.host is None or calls.pid is None:
            return False
        last = self._last[calls.host, calls.pid]
        return last < newest - _SILENT_S and last < self._latest[calls.host]


def _ends(calls: TimedCalls) -> tuple[float, float]:
    """When the first and the last were written down; 0 where nothing tells."""
    ended = memoryview(calls.ended).cast("d")
    return ended[0], ended[-1]

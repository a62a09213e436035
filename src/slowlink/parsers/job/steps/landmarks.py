"""Lines of a loop that stand for many: the slowest of each stretch.

A rule that finds some of a million steps slow shows lines of these very steps, and no parser keeps a million lines. So
the steps are cut into stretches of equal length, longer and longer ones as there are more of them, and the slowest line
of each is kept: every step of a short log, and of a long one the slowest in any part that is worth telling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from slowlink.model.job import Landmark
from slowlink.model.source import Line

MOST = 256
"""Stretches, of which a long loop has at least half as many."""


class Landmarks(Struct):
    """The slowest step of each stretch of ``width`` steps; the first of them where several are as slow."""

    width: int = 1
    slowest: list[tuple[float, Landmark]] = field(default_factory=list)
    """Seconds and where, in order; the last stretch is open."""

    def take(self, first: int, seconds: Sequence[float], line_of: Callable[[int], Line]) -> None:
        """Steps ``first`` and those behind it, which follow on all before. ``line_of`` is asked for few of them."""
        while first + len(seconds) > MOST * self.width:
            self._widen()
        begin = 0
        while begin < len(seconds):
            stretch = (first + begin) // self.width
            end = min(len(seconds), (stretch + 1) * self.width - first)
            most = max(seconds[begin:end])
            is_new = stretch == len(self.slowest)
            if is_new or most > self.slowest[stretch][0]:
                at = seconds.index(most, begin, end)
                found = most, Landmark(first + at, line_of(at).ref())
                self.slowest[stretch:] = [found]
            begin = end

    def _widen(self) -> None:
        self.width *= 2
        pairs = [self.slowest[at : at + 2] for at in range(0, len(self.slowest), 2)]
        self.slowest = [max(pair, key=lambda found: found[0]) for pair in pairs]

"""Launches of one input while they are told apart: disjoint lines, and disjoint nodes."""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct


class Launch(Struct, eq=False):
    """Lines of one launch, or of several that cannot be told apart."""

    first: int
    last: int
    hosts: set[str]
    into: Launch | None = None
    """The one that it became a part of."""

    def take(self, other: Launch) -> None:
        """Make ``other`` a part of this one."""
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.hosts |= other.hosts
        other.into = self


class Launches:
    """Those that share hosts or lines are one. Found by look-up: one input may hold thousands, and as many nodes."""

    def __init__(self) -> None:
        self.in_order: list[Launch] = []
        """By lines; no two overlap."""
        self._of_host: dict[str, Launch] = {}

    def before(self, line: int) -> int:
        """How many end before this line."""
        return bisect_left(self.in_order, line, key=_last)

    def touches(self, new: Launch) -> bool:
        """Does it share hosts or lines with one of them?"""
        return bool(self._overlapping(new)) or not self._of_host.keys().isdisjoint(new.hosts)

    def add(self, new: Launch) -> None:
        """Those that share hosts or lines with it become one with it."""
        known = {id(one): one for host in new.hosts if (one := self._with(host)) is not None}
        for host in new.hosts:
            self._of_host.setdefault(host, new)
        while others := [*known.values(), *(one for one in self._overlapping(new) if id(one) not in known)]:
            for other in others:
                del self.in_order[bisect_left(self.in_order, other.first, key=_first)]
            whole = max((new, *others), key=lambda one: len(one.hosts))  # the fewest names are moved
            for other in (new, *others):
                if other is not whole:
                    whole.take(other)
            new, known = whole, {}
        self.in_order.insert(bisect_left(self.in_order, new.first, key=_first), new)

    def _overlapping(self, new: Launch) -> list[Launch]:
        begin = self.before(new.first)
        end = begin
        while end < len(self.in_order) and self.in_order[end].first <= new.last:
            end += 1
        return self.in_order[begin:end]

    def _with(self, host: str) -> Launch | None:
        found = self._of_host.get(host)
        while found is not None and found.into is not None:
            found = self._of_host[host] = found.into
        return found


def _first(launch: Launch) -> int:
    return launch.first


def _last(launch: Launch) -> int:
    return launch.last

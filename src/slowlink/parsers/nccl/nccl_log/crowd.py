"""Who there is, from when there may be more threads than are kept: asked for each new one, it is not counted anew."""

from __future__ import annotations

from collections.abc import Iterable, Set

from slowlink.parsers.nccl.nccl_log.rows import Rows


class Crowd:
    """The names of all threads, whether they are known by their lines or by their edges alone."""

    def __init__(self, threads: Iterable[str]) -> None:
        self._names = set(threads)
        self._owners = 0

    def add(self, thread: str) -> None:
        """One more that is known by its lines."""
        self._names.add(thread)

    def names(self, edges: Rows) -> Set[str]:
        """All names, with those of ``edges`` that are new."""
        if edges.owners > self._owners:
            self._names.update(edges.owners_since(self._owners))
            self._owners = edges.owners
        return self._names

"""What stands around benchmark runs in their sources: commands, version lines, other runs. Sorted once for all runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.source import Ref

Found = TypeVar("Found")


class ByLine(Generic[Found]):
    """Records of each source in order of their lines; of one line the first."""

    def __init__(self, records: Iterable[Found], ref_of: Callable[[Found], Ref]) -> None:
        of_source: dict[str, dict[int, Found]] = {}
        for record in records:
            ref = ref_of(record)
            of_source.setdefault(ref.source, {}).setdefault(ref.line, record)
        self._first = {source: next(iter(found.values())) for source, found in of_source.items()}
        self._lines = {source: sorted(found) for source, found in of_source.items()}
        self._found = of_source

    def above(self, source: str, line: int) -> Found | None:
        """The nearest one that does not stand below ``line``."""
        lines = self._lines.get(source, [])
        at = bisect_right(lines, line)
        return self._found[source][lines[at - 1]] if at else None

    def first(self, source: str) -> Found | None:
        """The first that was read of a source."""
        return self._first.get(source)


class AllByLine(Generic[Found]):
    """All records of each source in order of their lines, several of one line too."""

    def __init__(self, records: Iterable[Found], ref_of: Callable[[Found], Ref]) -> None:
        self._found: dict[str, list[tuple[int, Found]]] = {}
        for record in records:
            ref = ref_of(record)
            self._found.setdefault(ref.source, []).append((ref.line, record))
        for found in self._found.values():
            found.sort(key=_line)

    def between(self, source: str, after: int, last: int) -> list[Found]:
        """Those below line ``after`` down to line ``last``."""
        found = self._found.get(source, [])
        part = found[bisect_right(found, after, key=_line) : bisect_right(found, last, key=_line)]
        return [record for _, record in part]


def _line(entry: tuple[int, object]) -> int:
    return entry[0]


class PrintedTogether:
    """Which runs were printed at the same time as another of their source.

    One that begins on the same line is the same one, read twice because the input was named twice.
    """

    def __init__(self, runs: Sequence[CollectiveRun]) -> None:
        ends: dict[str, dict[Ref, int]] = {}
        for run in runs:
            of_source = ends.setdefault(run.source, {})
            of_source[run.header] = max(_end_of(run), of_source.get(run.header, 0))
        self._before: dict[Ref, int] = {}
        """Of each run the last line of those that begin above it."""
        self._next: dict[Ref, int] = {}
        """Of each run the line where the one below it begins."""
        for of_source in ends.values():
            latest, above = 0, None
            for header in sorted(of_source, key=lambda ref: ref.line):
                self._before[header] = latest
                if above is not None:
                    self._next[above] = header.line
                latest, above = max(latest, of_source[header]), header

    def with_another(self, run: CollectiveRun) -> bool:
        """Is there a line of this run between those of another, or the other way round?"""
        below = self._next.get(run.header)
        return self._before[run.header] >= run.header.line or (below is not None and below <= _end_of(run))


def _end_of(run: CollectiveRun) -> int:
    return run.end.line if run.end is not None else run.header.line

"""The edges that a fold has met, each once a thread, as columns of numbers.

A million of them are a part of every large log: as objects they took most of the time and of the memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import lt

from slowlink.model.edges import LONG, NUMBER, EdgeColumns, EdgeKind
from slowlink.model.source import LogProcess
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.nccl.nccl_log.channels import EdgeValues, kind_of
from slowlink.parsers.nccl.nccl_log.sifted_lines import SiftedLines

MOST_EDGES = Limit(200_000, "different channels of one thread")
TEXT_LIMIT = 400
_WHO, _SRC, _DST, _KIND, _BEFORE, _NUMBER, _AFTER, _LINE, _COUNT = range(9)
_FORMATS = (NUMBER,) * 7 + (LONG,) * 2
Columns = Sequence[Sequence[int]]
"""Thread, ranks, kind, texts before and of the number and behind the ranks, first line, and lines of each edge."""


class EdgeRows:
    """Edges in the order in which they were met, and which of them are known. It can be sent to another process."""

    def __init__(self) -> None:
        self._columns = tuple(array(each) for each in _FORMATS)
        self._kinds: dict[EdgeKind, int] = {}
        self._texts: dict[str, int] = {}
        self._sizes: list[int] = []
        """Edges of each thread."""
        self._known: dict[int, int] | None = {}
        """All that is told of an edge in one number -> its row. Made anew where somebody asks: it is not sent."""

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_known": None}

    def __len__(self) -> int:
        return len(self._columns[_WHO])

    @property
    def is_full(self) -> bool:
        """Of some thread no more edges are kept."""
        return any(size >= MOST_EDGES for size in self._sizes)

    @property
    def lines(self) -> int:
        return sum(self._columns[_COUNT])

    def lines_of_threads(self, threads: int) -> list[int]:
        """How many lines of each thread are edges."""
        found = [0] * threads
        for who, count in zip(self._columns[_WHO], self._columns[_COUNT], strict=True):
            found[who] += count
        return found

    def kind(self, kind: EdgeKind) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))

    def text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def again(self, row: int) -> None:
        """One more line says the same."""
        self._columns[_COUNT][row] += 1

    def add(self, who: int, values: EdgeValues, line: int, text: str) -> int | None:
        """The row of an edge that ``text`` tells; None where the thread has no room for it."""
        src, dst, made, after = values
        kind = self.kind(made)
        key = _key(who, src, dst, kind)
        row = self._index().get(key)
        if row is not None:
            self.again(row)
            return row
        ends = made.ends(src, dst) + after
        if text.endswith(ends):
            head = text[: -len(ends)]
            number = head.rpartition(" ")[2]
            texts = self.text(head[: len(head) - len(number)]), self.text(number), self.text(after[:TEXT_LIMIT])
        else:  # another line stands behind it, or it is no channel of two ranks
            whole = self.text(text[:TEXT_LIMIT])
            texts = whole, -1, whole
        self.take([[each] for each in (who, src, dst, kind, *texts, line, 1)])
        return self._index().get(key)

    def take(self, columns: Columns) -> None:
        """Take rows whose threads, kinds and texts have the numbers that they have here: those that are new, and of
        the others the count."""
        known, sizes = self._index(), self._sizes
        at = len(self)
        fresh: list[bool] = []
        again: list[tuple[int, int]] = []
        sizes += [0] * (max(columns[_WHO], default=-1) + 1 - len(sizes))
        for place, (who, src, dst, kind) in enumerate(zip(*columns[: _KIND + 1], strict=True)):
            key = who << 96 | src + 1 << 64 | dst + 1 << 32 | kind
            row = known.get(key)
            if row is not None:
                again.append((row, place))
            elif sizes[who] < MOST_EDGES:
                known[key] = at
                sizes[who] += 1
                at += 1
                fresh.append(True)
                continue
            fresh.append(False)
        whole = len(fresh) == at - len(self)
        for own, new in zip(self._columns, columns, strict=True):
            own.extend(new if whole else compress(new, fresh))
        counts, lines = self._columns[_COUNT], columns[_COUNT]
        for row, place in again:
            counts[row] += lines[place]

    def take_sifted(
        self, sifted: SiftedLines, rows: Sequence[int], threads: Mapping[int, int], first_line: int
    ) -> None:
        """Take channel lines that were taken apart. ``threads``: the numbers that prefixes have here."""
        place, lines, src, dst, prefix, kind, number = sifted.numbers_of(rows)
        kinds, after = {}, {}
        for each in dict.fromkeys(kind):
            texts = sifted.kinds[each]
            made = kind_of(*texts) if isinstance(texts, tuple) else None
            if made is None:
                raise ValueError(texts)  # the sieve takes only what is known
            side = f" [{made.side}]" if made.side else ""
            kinds[each], after[each] = self.kind(made), self.text(f"{side} via {texts[-1]}"[:TEXT_LIMIT])
        before = {each: self.text(f"{sifted.prefixes[each]} NCCL INFO Channel ") for each in dict.fromkeys(prefix)}
        numbers = {each: self.text(sifted.numbers[each]) for each in dict.fromkeys(number)}
        self.take(
            (
                list(map(threads.__getitem__, prefix)),
                src,
                dst,
                list(map(kinds.__getitem__, kind)),
                list(map(before.__getitem__, prefix)),
                list(map(numbers.__getitem__, number)),
                list(map(after.__getitem__, kind)),
                [first_line + each for each in place],
                lines,
            )
        )

    def merge(self, other: EdgeRows, threads: Sequence[int]) -> None:
        """Add what ``other`` met later. ``threads``: the numbers that its threads have here."""
        kinds = [self.kind(kind) for kind in other._kinds]
        texts = [self.text(text) for text in other._texts] + [-1]
        numbered = {_WHO: threads, _KIND: kinds, _BEFORE: texts, _NUMBER: texts, _AFTER: texts}
        self.take(
            [
                array(NUMBER, map(numbered[place].__getitem__, column)) if place in numbered else column
                for place, column in enumerate(other._columns)
            ]
        )

    def _index(self) -> dict[int, int]:
        if self._known is None:
            keys = map(_key, *self._columns[: _KIND + 1])
            self._known = {key: row for row, key in enumerate(keys)}
        return self._known

    def forget_known(self) -> None:
        """Give the memory back that is needed only while rows are taken."""
        self._known = None

    def result(self, processes: Sequence[LogProcess], source: str) -> EdgeColumns:
        """Each edge of a process once. ``processes``: who each thread is."""
        if not len(self):
            return EdgeColumns(source)
        names = {process: number for number, process in enumerate(dict.fromkeys(processes))}
        who = [names[process] for process in processes]
        columns: Columns = [array(NUMBER, map(who.__getitem__, self._columns[_WHO])), *self._columns[1:]]
        talking = [process for process, size in zip(who, self._sizes, strict=False) if size]
        if len(set(talking)) < len(talking):
            columns = _joined(columns, self._columns[_WHO])
        columns = _sorted(columns)
        return _packed(columns, source, tuple(names), tuple(self._kinds), tuple(self._texts))


def _key(who: int, src: int, dst: int, kind: int) -> int:
    return who << 96 | src + 1 << 64 | dst + 1 << 32 | kind


def _joined(columns: Columns, threads: Sequence[int]) -> Columns:
    """What several threads of a process say is said once, on the first line of all. Thread by thread."""
    first: dict[int, int] = {}
    counts = array(LONG, columns[_COUNT])
    lines = columns[_LINE]
    for row in sorted(range(len(threads)), key=threads.__getitem__):
        key = _key(columns[_WHO][row], columns[_SRC][row], columns[_DST][row], columns[_KIND][row])
        known = first.setdefault(key, row)
        if known == row:
            continue
        if lines[row] < lines[known]:
            first[key] = row
            known, row = row, known
        counts[known] += counts[row]
    return _chosen([*columns[:_COUNT], counts], first.values())


def _sorted(columns: Columns) -> Columns:
    """By lines; edges of one line (it was torn) by process."""
    lines = memoryview(columns[_LINE])  # type: ignore[arg-type]
    if all(map(lt, lines, lines[1:])):
        return columns
    who = columns[_WHO]
    return _chosen(columns, sorted(range(len(lines)), key=lambda row: (lines[row], who[row])))


def _chosen(columns: Columns, rows: Iterable[int]) -> Columns:
    rows = array(NUMBER, rows)
    return [array(each, map(column.__getitem__, rows)) for each, column in zip(_FORMATS, columns, strict=True)]


def _packed(
    columns: Columns,
    source: str,
    processes: tuple[LogProcess, ...],
    kinds: tuple[EdgeKind, ...],
    texts: tuple[str, ...],
) -> EdgeColumns:
    """Numbered anew, in the order of rows: the same edges are the same columns, however they were read."""
    used = list(columns)
    named = [list(dict.fromkeys(columns[place])) for place in (_WHO, _KIND)]
    of_texts = list(
        dict.fromkeys(number for place in (_BEFORE, _NUMBER, _AFTER) for number in dict.fromkeys(columns[place]))
    )
    of_texts = [number for number in of_texts if number >= 0]
    for places, numbers in (((_WHO,), named[0]), ((_KIND,), named[1]), ((_BEFORE, _NUMBER, _AFTER), [*of_texts, -1])):
        anew = {old: new for new, old in enumerate(numbers)} | {-1: -1}
        for place in places:
            used[place] = array(NUMBER, map(anew.__getitem__, columns[place]))
    return EdgeColumns(
        source,
        tuple(processes[number] for number in named[0]),
        tuple(kinds[number] for number in named[1]),
        tuple(texts[number] for number in of_texts),
        *(array(each, column).tobytes() for each, column in zip(_FORMATS, used, strict=True)),
    )

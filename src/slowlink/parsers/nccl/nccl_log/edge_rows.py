"""The edges that a fold has met, each once a thread, as columns of numbers.

A million of them are a part of every large log: as objects they took most of the time and of the memory.
Machine code does the same, where it was built (``native_rows``).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import lt
from typing import NamedTuple

from slowlink.model.edges import LONG, NUMBER, EdgeColumns, EdgeKind
from slowlink.model.source import LogProcess
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.nccl.nccl_log.channels import EdgeValues

MOST_EDGES = Limit(200_000, "different channels of one thread")
TEXT_LIMIT = 400
_WHO, _SRC, _DST, _KIND, _BEFORE, _NUMBER, _AFTER, _LINE, _COUNT = range(9)
_FORMATS = (NUMBER,) * 7 + (LONG,) * 2
Columns = Sequence[Sequence[int]]
"""Owner, ranks, kind, texts before and of the number and behind the ranks, first line, and lines of each edge."""
_OF_OWNER = -2
"""In a state of machine code: the text before the number is the owner's name, and the usual words."""
_NEVER = (1 << 63) - 1
"""The first line of an owner of which none was taken."""


class OfOwner(NamedTuple):
    """A thread that has edges, or whose lines were counted with them: its name, its first line, lines of edges."""

    name: str
    first: int
    lines: int


class RowsState(NamedTuple):
    """All that another process must know to go on, whether it has machine code or not."""

    owners: bytes
    """Names, a line each."""
    firsts: bytes
    kinds: tuple[EdgeKind, ...]
    texts: bytes
    """A line each."""
    columns: tuple[bytes, ...]


def texts_of(values: EdgeValues, text: str) -> tuple[str, str | None, str]:
    """Of a line that tells an edge: what stands before the number of its channel, the number, and what stands behind
    the ranks. No number, and the whole line, where the rest of it is something else."""
    ends = values.kind.ends(values.src, values.dst) + values.after
    if not text.endswith(ends):  # another line stands behind it, or it is no channel of two ranks
        return text[:TEXT_LIMIT], None, text[:TEXT_LIMIT]
    head = text[: -len(ends)]
    number = head.rpartition(" ")[2]
    return head[: len(head) - len(number)], number, values.after[:TEXT_LIMIT]


class EdgeRows:
    """Edges in the order in which they were met, and which of them are known.

    Owners are threads, by name. ``most_owners``: so many are told apart; what others say is nobody's.
    """

    def __init__(self) -> None:
        self._columns = tuple(array(each) for each in _FORMATS)
        self._kinds: dict[EdgeKind, int] = {}
        self._texts: dict[str, int] = {}
        self._owners: dict[str, int] = {}
        self._names: list[str] = []
        self._firsts: list[int] = []
        """The first line of each owner."""
        self._sizes: list[int] = []
        """Edges of each owner."""
        self._known: dict[int, int] | None = {}
        """All that is told of an edge in one number -> its row. Made anew where somebody asks: it is not sent."""

    def __len__(self) -> int:
        return len(self._columns[_WHO])

    @property
    def is_full(self) -> bool:
        """Of some owner no more edges are kept."""
        return any(size >= MOST_EDGES for size in self._sizes)

    @property
    def lines(self) -> int:
        return sum(self._columns[_COUNT])

    @property
    def owners(self) -> int:
        """How many are told apart."""
        return len(self._owners)

    def owners_since(self, known: int) -> list[str]:
        """The names of those that came behind the first ``known``."""
        return self._names[known:]

    def of_owners(self) -> list[OfOwner]:
        """Every owner."""
        found = [0] * len(self._owners)
        for who, count in zip(self._columns[_WHO], self._columns[_COUNT], strict=True):
            found[who] += count
        return list(map(OfOwner, self._owners, self._firsts, found))

    def _kind(self, kind: EdgeKind) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _owner(self, name: str, line: int, most_owners: int = _NEVER) -> int:
        if name not in self._owners and len(self._owners) >= most_owners:
            name = ""
        number = self._owners.setdefault(name, len(self._owners))
        if number == len(self._firsts):
            self._names.append(name)
            self._firsts.append(line)
            self._sizes.append(0)
        self._firsts[number] = min(line, self._firsts[number])
        return number

    def again(self, row: int) -> None:
        """One more line says the same."""
        self._columns[_COUNT][row] += 1

    def add(self, owner: str, values: EdgeValues, line: int, text: str) -> int | None:
        """The row of an edge that ``text`` tells; None where its owner has no room for it."""
        who, kind = self._owner(owner, line), self._kind(values.kind)
        key = _key(who, values.src, values.dst, kind)
        row = self._index().get(key)
        if row is not None:
            self.again(row)
            return row
        before, number, after = texts_of(values, text)
        texts = self._text(before), -1 if number is None else self._text(number), self._text(after)
        self._take([[each] for each in (who, values.src, values.dst, kind, *texts, line, 1)])
        return self._index().get(key)

    def _take(self, columns: Columns) -> None:
        """Take rows whose owners, kinds and texts have the numbers that they have here: those that are new, and of
        the others the count."""
        known, sizes = self._index(), self._sizes
        at = len(self)
        fresh: list[bool] = []
        again: list[tuple[int, int]] = []
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

    def state(self) -> RowsState:
        """To be sent."""
        return RowsState(
            "\n".join(self._owners).encode(),
            array(LONG, self._firsts).tobytes(),
            tuple(self._kinds),
            "\n".join(self._texts).encode(),
            tuple(column.tobytes() for column in self._columns),
        )

    def merge(self, other: RowsState, most_owners: int) -> None:
        """Add what another met later."""
        named = other.owners.decode().split("\n")
        who = [
            -1 if first == _NEVER else self._owner(name, first, most_owners)
            for name, first in zip(named, array(LONG, other.firsts), strict=False)
        ]
        kinds = [self._kind(kind) for kind in other.kinds]
        texts = [self._text(text) for text in other.texts.decode().split("\n")]
        columns: list[Sequence[int]] = [array(kind) for kind in _FORMATS]
        for own, each in zip(columns, other.columns, strict=True):
            own.frombytes(each)  # type: ignore[attr-defined]
        before = {number: self._text(f"{named[number]} NCCL INFO Channel ") for number in _derived(columns)}
        columns[_BEFORE] = [
            before[owner] if text == _OF_OWNER else texts[text]
            for owner, text in zip(columns[_WHO], columns[_BEFORE], strict=True)
        ]
        columns[_NUMBER] = [texts[text] if text >= 0 else -1 for text in columns[_NUMBER]]
        for place, numbers in ((_WHO, who), (_KIND, kinds), (_AFTER, texts)):
            columns[place] = list(map(numbers.__getitem__, columns[place]))
        self._take(columns)

    def _index(self) -> dict[int, int]:
        if self._known is None:
            keys = map(_key, *self._columns[: _KIND + 1])
            self._known = {key: row for row, key in enumerate(keys)}
        return self._known

    def forget_known(self) -> None:
        """Give the memory back that is needed only while rows are taken."""
        self._known = None

    def result(self, processes: Sequence[LogProcess], source: str) -> EdgeColumns:
        """Each edge of a process once. ``processes``: who each owner is."""
        if not len(self):
            return EdgeColumns(source)
        names = {process: number for number, process in enumerate(dict.fromkeys(processes))}
        who = [names[process] for process in processes]
        columns: Columns = [array(NUMBER, map(who.__getitem__, self._columns[_WHO])), *self._columns[1:]]
        talking = [process for process, size in zip(who, self._sizes, strict=True) if size]
        if len(set(talking)) < len(talking):
            columns = _joined(columns, self._columns[_WHO])
        columns = _sorted(columns)
        return _packed(columns, source, tuple(names), tuple(self._kinds), tuple(self._texts))


def _derived(columns: Columns) -> Iterable[int]:
    return {owner for owner, text in zip(columns[_WHO], columns[_BEFORE], strict=True) if text == _OF_OWNER}


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

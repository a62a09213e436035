"""NCCL's channels. The log of a large job has a million of them, so they are kept as columns: numbers and few texts.

A ``ChannelEdge`` is made of a row when somebody asks for it; most questions are about kinds, of which there are few.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from operator import not_
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.source import LogProcess, Ref

NUMBER, LONG = "i", "q"
"""Numbers of 32 bits, and of 64, in the order of this machine."""
_TEXT_LIMIT = 400


class EdgeKind(Struct, frozen=True, gc=False):
    """What the text of a channel line says but for the ranks: most edges of a log share one of few."""

    src_dev: str
    """What stands in the bracket after the rank, as printed: an NVML index (>= 2.18.3) or a bus id in hex."""
    dst_dev: str
    side: str | None
    """``send`` or ``receive`` for NET, None for P2P and SHM."""
    transport: str
    """``NET/IB``, ``NET/Socket``, ``NET/AWS Libfabric``, ``P2P/CUMEM``, ``P2P/IPC``, ``P2P/direct pointer``,
    ``P2P/indirect``,
    ``P2P/MNNVL``, ``SHM``, ``COLLNET/...``."""
    detail: str
    """The rest of the ``via`` text as printed, e.g. ``SHM/direct/direct`` or ``P2P/CUMEM/read``."""
    net_device: int | None = None
    proxy_rank: int | None = None
    """PXN: the rank whose GPU and proxy do the network work."""
    gdr: bool | None = None
    """GPUDirect RDMA used on this side; None for P2P and SHM, where the question does not arise."""
    shared: bool = False
    connection: int | None = None
    """connIndex: 0 collectives, 1 point-to-point; None where the version does not print it."""

    def ends(self, src: int, dst: int) -> str:
        """What stands behind the number of the channel: ``/0 : 0[0] -> 8[0]``."""
        connection = "" if self.connection is None else f"/{self.connection}"
        return f"{connection} : {src}[{self.src_dev}] -> {dst}[{self.dst_dev}]"


class ChannelEdge(Struct, frozen=True, gc=False):
    """All channels of one (process, sender, receiver, side, transport) folded:
    ``Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/2(3)/GDRDMA/Shared``. Texts are those of its ``EdgeKind``."""

    process: LogProcess
    src: int
    """Rank of the sender in its communicator."""
    dst: int
    src_dev: str
    dst_dev: str
    side: str | None
    transport: str
    detail: str
    net_device: int | None
    proxy_rank: int | None
    gdr: bool | None
    shared: bool
    connection: int | None
    channels: int
    """Lines folded."""
    ref: Ref

    @property
    def kind(self) -> EdgeKind:
        return EdgeKind(
            self.src_dev,
            self.dst_dev,
            self.side,
            self.transport,
            self.detail,
            self.net_device,
            self.proxy_rank,
            self.gdr,
            self.shared,
            self.connection,
        )


class EdgeColumns(Struct, frozen=True):
    """The edges of one source, in the order of their first lines. Columns of numbers say which of ``processes``,
    ``kinds`` and ``texts`` a row has."""

    source: str = ""
    processes: tuple[LogProcess, ...] = ()
    kinds: tuple[EdgeKind, ...] = ()
    texts: tuple[str, ...] = ()
    process: bytes = b""
    src: bytes = b""
    dst: bytes = b""
    kind: bytes = b""
    before: bytes = b""
    """What stands before the number of the channel on the first line; the whole line where ``number`` is -1."""
    number: bytes = b""
    after: bytes = b""
    """What stands behind the two ranks."""
    line: bytes = b""
    """Of the first line; 64 bits, as the next."""
    channels: bytes = b""

    def __len__(self) -> int:
        return len(self.process) // 4

    def __iter__(self) -> Iterator[ChannelEdge]:
        return self.rows(range(len(self)))

    def __getitem__(self, row: int) -> ChannelEdge:
        return next(self.rows((range(len(self))[row],)))

    def numbers(self, name: str) -> memoryview[int]:
        """A column."""
        return memoryview(getattr(self, name)).cast(LONG if name in ("line", "channels") else NUMBER)  # type: ignore[call-overload,no-any-return]

    def rows(self, rows: Iterable[int]) -> Iterator[ChannelEdge]:
        """The edges of these rows."""
        process, src, dst, kind = map(self.numbers, ("process", "src", "dst", "kind"))
        before, number, after = map(self.numbers, ("before", "number", "after"))
        line, channels, texts = self.numbers("line"), self.numbers("channels"), self.texts
        for row in rows:
            found = self.kinds[kind[row]]
            text = texts[before[row]]
            if number[row] >= 0:
                text += texts[number[row]] + found.ends(src[row], dst[row]) + texts[after[row]]
            yield ChannelEdge(
                self.processes[process[row]],
                src[row],
                dst[row],
                found.src_dev,
                found.dst_dev,
                found.side,
                found.transport,
                found.detail,
                found.net_device,
                found.proxy_rank,
                found.gdr,
                found.shared,
                found.connection,
                channels[row],
                Ref(self.source, line[row], text[:_TEXT_LIMIT]),
            )

    def logged(self) -> Iterator[tuple[LogProcess, int]]:
        """Who logged each edge, and on which line first."""
        return zip(map(self.processes.__getitem__, self.numbers("process")), self.numbers("line"), strict=True)

    def ends_of_processes(self) -> Iterator[tuple[LogProcess, int]]:
        """The lines on which the first and the last edge of each process stand."""
        numbers, lines = self.numbers("process"), self.numbers("line")
        last = dict(zip(numbers, lines, strict=True))
        first = dict(zip(reversed(numbers), reversed(lines), strict=True))
        for number, process in enumerate(self.processes):
            if number in last:
                yield process, first[number]
                yield process, last[number]

    def only(self, rows: Sequence[int]) -> EdgeColumns:
        """These rows alone."""
        names = ("process", "src", "dst", "kind", "before", "number", "after", "line", "channels")
        columns = {name: self.numbers(name) for name in names}
        return replace(
            self, **{name: array(each.format, map(each.__getitem__, rows)).tobytes() for name, each in columns.items()}
        )

    def is_sound(self) -> bool:
        """Does each row have what it names? Columns that came from elsewhere may say anything."""
        length = len(self)
        lengths = {len(getattr(self, name)) for name in ("process", "src", "dst", "kind", "before", "number", "after")}
        if lengths != {4 * length} or {len(self.line), len(self.channels)} != {8 * length}:
            return False
        named = {"process": self.processes, "kind": self.kinds, "before": self.texts, "after": self.texts}
        return (
            all(not length or min(self.numbers(name)) >= 0 for name in (*named, "line", "channels"))
            and all(max(self.numbers(name), default=-1) < len(known) for name, known in named.items())
            and all(-1 <= number < len(self.texts) for number in self.numbers("number"))
        )


class EdgeGroup(Struct, frozen=True):
    """The edges of one kind."""

    kind: EdgeKind
    edges: int
    channels: int


class Edges(Sequence[ChannelEdge]):
    """Edges of several sources, or some of them: a choice of rows of columns."""

    def __init__(self, parts: Iterable[tuple[EdgeColumns, Sequence[int]]] = ()) -> None:
        self._parts = [(columns, rows) for columns, rows in parts if len(rows)]
        self._length = sum(len(rows) for _, rows in self._parts)
        self._groups: tuple[EdgeGroup, ...] | None = None

    @classmethod
    def all_of(cls, columns: Iterable[EdgeColumns]) -> Edges:
        """Every edge, in order."""
        return cls((each, range(len(each))) for each in columns)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[ChannelEdge]:
        for columns, rows in self._parts:
            yield from columns.rows(rows)

    def __getitem__(self, index: Any) -> Any:
        places = range(self._length)[index]
        if isinstance(places, range):
            return tuple(self._at(place) for place in places)
        return self._at(places)

    def _at(self, place: int) -> ChannelEdge:
        for columns, rows in self._parts:
            if place < len(rows):
                return columns[rows[place]]
            place -= len(rows)
        raise IndexError(place)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Edges):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Edges({list(self)})"

    @property
    def groups(self) -> tuple[EdgeGroup, ...]:
        """Each kind that occurs, in the order of first lines."""
        if self._groups is None:
            found: dict[EdgeKind, list[int]] = {}
            for columns, rows in self._parts:
                for number, (edges, channels) in _counted(columns, rows).items():
                    group = found.setdefault(columns.kinds[number], [0, 0])
                    group[0] += edges
                    group[1] += channels
            self._groups = tuple(EdgeGroup(kind, *counts) for kind, counts in found.items())
        return self._groups

    @property
    def kinds(self) -> tuple[EdgeKind, ...]:
        return tuple(group.kind for group in self.groups)

    @property
    def channels(self) -> int:
        """Of all edges."""
        return sum(group.channels for group in self.groups)

    @property
    def most_channels(self) -> int:
        """Of one edge."""
        return max((max(_numbers(columns, rows, "channels")) for columns, rows in self._parts), default=0)

    @property
    def processes(self) -> tuple[LogProcess, ...]:
        """Who logged them, in order."""
        found: dict[LogProcess, None] = {}
        for columns, rows in self._parts:
            for number in dict.fromkeys(_numbers(columns, rows, "process")):
                found.setdefault(columns.processes[number])
        return tuple(found)

    def of(self, wanted: Callable[[EdgeKind], bool]) -> Edges:
        """The edges of the kinds that are wanted."""
        return self.parted(wanted)[0]

    def parted(
        self, wanted: Callable[[EdgeKind], bool], ends: Callable[[int, int], bool] | None = None
    ) -> tuple[Edges, Edges]:
        """The edges of the kinds that are wanted, and between ranks that are (``ends``, where given); and the rest."""
        chosen: list[tuple[EdgeColumns, Sequence[int]]] = []
        rest: list[tuple[EdgeColumns, Sequence[int]]] = []
        for columns, rows in self._parts:
            of_kind = [bool(wanted(kind)) for kind in columns.kinds]
            if ends is None and all(of_kind):
                chosen.append((columns, rows))
                continue
            if not any(of_kind):
                rest.append((columns, rows))
                continue
            picked = list(map(of_kind.__getitem__, _numbers(columns, rows, "kind")))
            if ends is not None:
                src, dst = _numbers(columns, rows, "src"), _numbers(columns, rows, "dst")
                picked = [pick and ends(*ranks) for pick, ranks in zip(picked, zip(src, dst, strict=True), strict=True)]
            chosen.append((columns, array("I", compress(rows, picked))))
            rest.append((columns, array("I", compress(rows, map(not_, picked)))))
        return Edges(chosen), Edges(rest)

    def each(self) -> Iterator[tuple[EdgeKind, int, int, int]]:
        """Kind, ranks of sender and receiver, and channels of each edge."""
        for columns, rows in self._parts:
            kind, *numbers = (_numbers(columns, rows, name) for name in ("kind", "src", "dst", "channels"))
            yield from zip(map(columns.kinds.__getitem__, kind), *numbers, strict=True)

    def first_of_each(self) -> Iterator[ChannelEdge]:
        """The first edge of each kind of each process."""
        for columns, rows in self._parts:
            each = zip(_numbers(columns, rows, "process"), _numbers(columns, rows, "kind"), strict=True)
            first: dict[tuple[int, int], int] = {}
            for row, key in zip(rows, each, strict=True):
                first.setdefault(key, row)
            yield from columns.rows(first.values())


def _counted(columns: EdgeColumns, rows: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Kind -> edges and channels of it, in the order of rows."""
    edges = Counter(_numbers(columns, rows, "kind"))
    sums = [0] * len(columns.kinds)
    for kind, channels in zip(_numbers(columns, rows, "kind"), _numbers(columns, rows, "channels"), strict=True):
        sums[kind] += channels
    return {kind: (count, sums[kind]) for kind, count in edges.items()}


def _numbers(columns: EdgeColumns, rows: Sequence[int], name: str) -> Iterable[int]:
    """A column at these rows."""
    numbers = columns.numbers(name)
    return numbers[rows.start : rows.stop] if isinstance(rows, range) else map(numbers.__getitem__, rows)

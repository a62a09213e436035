"""What nodes say alike, held once. A thousand nodes have the same 144 links in the same state.

Readings of one attribute come node after node. What one of them says there is a *stretch*; its parts and values are
its *shape*, and nearly all nodes have the same one. What a question makes of parts and values is found once for each
shape, and not for each reading: ``where``, ``distinct``, ``counts``, ``last_by``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar, overload

from slowlink.facts.held_readings import Chosen, Held, OneByOne, Several
from slowlink.model.state import Part, Reading, Value

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


class Shape:
    """Parts and their values, in order. There is one of each kind: two are alike where they are the same."""

    __slots__ = ("_answers", "parts", "values")

    def __init__(self, parts: tuple[Part, ...], values: tuple[Value, ...]) -> None:
        self.parts = parts
        self.values = values
        self._answers: dict[Callable[[Shape], Any], Any] = {}

    def ask(self, question: Callable[[Shape], T]) -> T:
        """What a function of a module makes of it, found once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        answer: T = self._answers[question]
        return answer

    def pairs(self) -> Iterator[tuple[Part, Value]]:
        """Each part with its value."""
        return zip(self.parts, self.values, strict=True)


Kind = tuple[Shape, ...]
"""All that a node says of some attributes: nodes that say the same are of one kind."""


class Stretch(NamedTuple):
    """Readings of one node that follow one another."""

    host: str | None
    start: int
    """Place of the first among all readings."""
    end: int
    """Place behind the last."""
    shape: Shape
    held: Held


class Told(Sequence[Reading]):
    """Readings that know their stretches. Those of blocks (``model.blocks``) are made anew each time that somebody asks
    for them."""

    def __init__(self, readings: Iterable[Reading] = (), pieces: Iterable[Held] | None = None) -> None:
        """Give it readings, or the ``pieces`` in which they are held."""
        every = tuple(readings) if pieces is None else ()
        self._pieces: tuple[Held, ...] = tuple(pieces) if pieces is not None else (OneByOne(every),) if every else ()
        self._several: Sequence[Told] = ()
        self._latest: Told | None = None

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _length(self) -> int:
        return sum(map(len, self._pieces))

    def __iter__(self) -> Iterator[Reading]:
        return chain.from_iterable(piece.readings() for piece in self._pieces)

    @overload
    def __getitem__(self, at: int) -> Reading: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Reading]: ...
    def __getitem__(self, at: int | slice) -> Reading | Sequence[Reading]:
        if isinstance(at, slice):
            return tuple(self)[at]
        at = range(len(self))[at]
        piece = bisect_right(self._starts, at) - 1
        return self._pieces[piece].picked((at - self._starts[piece],))[0]

    @cached_property
    def _starts(self) -> Sequence[int]:
        """Place of the first reading of each piece."""
        return list(accumulate(map(len, self._pieces), initial=0))[:-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told | tuple) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return repr(tuple(self))

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """All stretches, in order."""
        return tuple(_stretches_of_joined(self._several) if self._several else _stretches_of(self._pieces))

    @property
    def shapes(self) -> Iterable[Shape]:
        """Each shape once, in order of appearance."""
        return dict.fromkeys(stretch.shape for stretch in self.stretches)

    @property
    def hosts(self) -> Iterable[str | None]:
        """Each node once, in order of appearance."""
        return dict.fromkeys(stretch.host for stretch in self.stretches)

    @cached_property
    def is_parted(self) -> bool:
        """Is all that one node says one stretch?"""
        return len({stretch.host or "" for stretch in self.stretches}) == len(self.stretches)

    def hosts_of(self, shapes: Collection[Shape]) -> tuple[str, ...]:
        """The nodes that have one of these shapes, in order; one that is given twice counts twice."""
        found = [place for shape in shapes for place in self._places[shape]]
        if len(shapes) > 1:
            found.sort()
        return tuple(self.stretches[place].host or "" for place in found)

    @cached_property
    def _places(self) -> Mapping[Shape, Sequence[int]]:
        """Which stretches have a shape."""
        known: dict[Shape, list[int]] = {}
        for place, stretch in enumerate(self.stretches):
            known.setdefault(stretch.shape, []).append(place)
        return known

    def of(self, stretch: Stretch) -> Sequence[Reading]:
        """The readings of a stretch."""
        return stretch.held.readings()

    def latest(self) -> Told:
        """The last of each part of each node, in order of the first ones. Give it readings of one attribute."""
        if self._latest is None:
            self._latest = _latest(self)
            self._latest._latest = self._latest
        return self._latest


def told(readings: Iterable[Reading]) -> Told:
    """The readings with their stretches; of one tuple these are found once."""
    if isinstance(readings, Told):
        return readings
    return _told(Same(readings)) if isinstance(readings, tuple) else Told(readings)


class Same(Generic[T]):
    """Stands for these very records and for no equal ones: to compare a million of them takes too long."""

    __slots__ = ("records",)

    def __init__(self, records: Sequence[T]) -> None:
        self.records = records

    def __hash__(self) -> int:
        return id(self.records)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.records is other.records


@lru_cache(maxsize=16)
def _told(same: Same[Reading]) -> Told:
    return Told(same.records)


def _stretches_of(pieces: Iterable[Held]) -> Iterator[Stretch]:
    known: dict[object, Shape] = {}
    start = 0
    for host, group in groupby(chain.from_iterable(piece.by_host() for piece in pieces), itemgetter(0)):
        (_, found), *others = group
        if others:
            found = Several([found, *(each for _, each in others)])
        end = start + len(found)
        yield Stretch(host, start, end, _shape_of(found, known), found)
        start = end


def _shape_of(held: Held, known: dict[object, Shape]) -> Shape:
    """What is common to a thousand nodes is known by the very columns that they share."""
    likeness = held.likeness
    found = known.get(likeness) if likeness is not None else None
    if found is None:
        found = _shape(held.parts, held.values, known)
        if likeness is not None:
            known[likeness] = found
    return found


def _shape(parts: tuple[Part, ...], values: tuple[Value, ...], known: dict[object, Shape]) -> Shape:
    """The one shape of these. 1 is equal to 1.0 and to True, and 0.0 to -0.0, but nobody writes them alike."""
    types = tuple(map(type, values))
    signs = [repr(value) for value in values if type(value) is float] if float in types and 0.0 in values else ()
    key = parts, values, types, tuple(signs)
    found = known.get(key)
    if found is None:
        found = known[key] = Shape(parts, values)
    return found


def joined(several: Iterable[Told]) -> Told:
    """All of them behind one another."""
    every = list(several)
    found = Told(pieces=chain.from_iterable(each._pieces for each in every))
    found._several = every
    return found


def _stretches_of_joined(several: Iterable[Told]) -> Iterator[Stretch]:
    before = 0
    for each in several:
        for host, start, end, shape, held in each.stretches:
            yield Stretch(host, before + start, before + end, shape, held)
        before += len(each)


def node_by_node(readings: Told) -> Told:
    """With one stretch for each node."""
    if readings.is_parted:
        return readings
    found: dict[str, list[Held]] = {}
    for stretch in readings.stretches:
        found.setdefault(stretch.host or "", []).append(stretch.held)
    return Told(pieces=chain.from_iterable(found.values()))


def picked(readings: Told, places: Callable[[Shape], Sequence[int]]) -> Told:
    """Those at certain places of each shape. All of them are the very same."""
    of_shape = {shape: places(shape) for shape in readings.shapes}
    return picked_of_each(readings, lambda stretch: of_shape[stretch.shape])


def picked_of_each(readings: Told, places: Callable[[Stretch], Sequence[int]]) -> Told:
    """Those at certain places of each stretch. All of them are the very same."""
    of_each = [places(stretch) for stretch in readings.stretches]
    if sum(map(len, of_each)) == len(readings):
        return readings
    known: dict[object, Shape] = {}
    new: dict[tuple[Shape, int], Shape] = {}
    stretches: list[Stretch] = []
    before = 0
    for (host, start, end, shape, held), some in zip(readings.stretches, of_each, strict=True):
        if not some:
            continue
        key = shape, id(some)
        if key not in new:
            new[key] = _shape(tuple(shape.parts[at] for at in some), tuple(shape.values[at] for at in some), known)
        mine = held if len(some) == end - start else Chosen(held, some)
        stretches.append(Stretch(host, before, before + len(some), new[key], mine))
        before += len(some)
    result = Told(pieces=[stretch.held for stretch in stretches])
    result.__dict__["stretches"] = tuple(stretches)
    return result


def _latest(readings: Told) -> Told:
    if not readings.is_parted or not all(_is_in_time(stretch) for stretch in readings.stretches):
        return Told(_newest(readings))
    return picked(readings, lambda shape: shape.ask(_last_places))


def _last_places(shape: Shape) -> Sequence[int]:
    """The place of the last of each part, in order of the first ones."""
    return list({part: at for at, part in enumerate(shape.parts)}.values())


def _is_in_time(stretch: Stretch) -> bool:
    """Is none of these older than one before it? Where each part comes once that does not matter."""
    if len(stretch.shape.ask(_last_places)) == len(stretch.shape.parts):
        return True
    times = stretch.held.times
    first = times[0]
    if first is None or None in times:
        return times.count(None) == len(times)
    return all(before <= after for before, after in pairwise(times))  # type: ignore[operator]


def _newest(readings: Iterable[Reading]) -> Iterable[Reading]:
    """The last of each part by their times; where one of them has none, the one that comes last."""
    last: dict[tuple[str, Part], Reading] = {}
    newest: dict[tuple[str, Part], Reading] = {}
    untimed: set[tuple[str, Part]] = set()
    for reading in readings:
        at = reading.host or "", reading.part
        last[at] = reading
        if reading.at is None:
            untimed.add(at)
        known = newest.setdefault(at, reading)
        if known is not reading and (reading.at or 0.0) >= (known.at or 0.0):
            newest[at] = reading
    return [last[at] if at in untimed else newest[at] for at in last]


def of_each_node(readings: Iterable[Reading], of: Callable[[Kind], T]) -> dict[str | None, T]:
    """Node -> what ``of`` makes of all that it says, once for each kind of node; in order of appearance."""
    shapes: dict[str | None, list[Shape]] = {}
    for stretch in told(readings).stretches:
        shapes.setdefault(stretch.host, []).append(stretch.shape)
    kinds = {host: tuple(some) for host, some in shapes.items()}
    made = {kind: of(kind) for kind in set(kinds.values())}
    return {host: made[kind] for host, kind in kinds.items()}


def number_of(
    readings: Iterable[Reading], name: Callable[[Part], Hashable] = lambda part: part
) -> dict[str | None, int]:
    """Node -> how many parts it told of, or as many as ``name`` tells apart."""
    of_shape: dict[Shape, set[Hashable]] = {}
    found: dict[str | None, set[Hashable]] = {}
    for stretch in told(readings).stretches:
        if stretch.shape not in of_shape:
            of_shape[stretch.shape] = set(map(name, stretch.shape.parts))
        found.setdefault(stretch.host, set()).update(of_shape[stretch.shape])
    return {host: len(names) for host, names in found.items()}


class Said(NamedTuple):
    """What one node says of several attributes."""

    kind: Hashable
    """Nodes of one kind say the same, each reading no earlier than those before it."""
    of_each: tuple[Held, ...]


def said_by_node(several: Sequence[Told]) -> dict[str, Said]:
    """Node -> what it says; nodes in order of appearance."""
    places: dict[str, list[Stretch | None]] = {}
    odd: set[str] = set()
    for number, readings in enumerate(several):
        for stretch in readings.stretches:
            host = stretch.host or ""
            mine = places.setdefault(host, [None] * len(several))
            if mine[number] is not None or not _is_in_time(stretch):
                odd.add(host)
            mine[number] = stretch
    found: dict[str, Said] = {}
    apart: dict[str, list[list[Reading]]] = {host: [[] for _ in several] for host in odd}
    for number, readings in enumerate(several if odd else ()):
        for reading in readings:
            if (each := apart.get(reading.host or "")) is not None:
                each[number].append(reading)
    for host, mine in places.items():
        if host in odd:
            found[host] = Said(host, tuple(map(OneByOne, apart[host])))
        else:
            kind = tuple(stretch and stretch.shape for stretch in mine)
            found[host] = Said(kind, tuple(stretch.held if stretch else OneByOne(()) for stretch in mine))
    return found


def where(readings: Iterable[Reading], fits: Callable[[Part, Value], bool]) -> Told:
    """The readings whose part and value fit, in order."""

    def places(shape: Shape) -> list[int]:
        return [at for at, (part, value) in enumerate(shape.pairs()) if fits(part, value)]

    return picked(told(readings), places)


def distinct(readings: Iterable[Reading], of: Callable[[Part, Value], H]) -> list[H]:
    """What ``of`` makes of parts and values, each once, in order of appearance."""
    return list(dict.fromkeys(of(part, value) for shape in told(readings).shapes for part, value in shape.pairs()))


def counts(readings: Iterable[Reading], of: Callable[[Part, Value], H]) -> dict[H, int]:
    """How often ``of`` makes what of a part and its value, in order of appearance."""
    found: dict[H, int] = {}
    for shape, times in Counter(stretch.shape for stretch in told(readings).stretches).items():
        for key, count in Counter(of(part, value) for part, value in shape.pairs()).items():
            found[key] = found.get(key, 0) + times * count
    return found


def last_by(readings: Iterable[Reading], name: Callable[[Part], H]) -> dict[H, Value]:
    """Name of a part -> the value of the last reading of that name, in order of appearance."""
    known = told(readings)
    by_end = reversed(dict.fromkeys(stretch.shape for stretch in reversed(known.stretches)))
    last = {name(part): value for shape in by_end for part, value in shape.pairs()}
    return {key: last[key] for shape in known.shapes for key in map(name, shape.parts)}

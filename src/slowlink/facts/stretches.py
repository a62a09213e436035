"""What nodes say alike, held once. A thousand nodes have the same 144 links in the same state.

Readings of one attribute come node after node. What one of them says there is a *stretch*; its parts and values are
its *shape*, and nearly all nodes have the same one. What a question makes of parts and values is found once for each
shape, and not for each reading: ``where``, ``distinct``, ``counts``, ``last_by``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from slowlink.model.state import Part, Reading, Value

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
_host, _part, _value = attrgetter("host"), attrgetter("part"), attrgetter("value")


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


class Told(tuple[Reading, ...]):
    """Readings that know their stretches."""

    _stretches: tuple[Stretch, ...]
    _joined: Sequence[Told]
    _latest: Told | None
    """None where it is this one."""

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """All stretches, in order."""
        known: tuple[Stretch, ...] | None = self.__dict__.get("_stretches")
        if known is None:
            several = self.__dict__.get("_joined")
            known = self._stretches = tuple(_stretches_of(self) if several is None else _stretches_of_joined(several))
        return known

    @property
    def shapes(self) -> Iterable[Shape]:
        """Each shape once, in order of appearance."""
        return dict.fromkeys(stretch.shape for stretch in self.stretches)

    @property
    def hosts(self) -> Iterable[str | None]:
        """Each node once, in order of appearance."""
        return dict.fromkeys(stretch.host for stretch in self.stretches)

    @property
    def is_parted(self) -> bool:
        """Is all that one node says one stretch?"""
        return len({stretch.host or "" for stretch in self.stretches}) == len(self.stretches)

    def hosts_of(self, shapes: Collection[Shape]) -> tuple[str, ...]:
        """The nodes that have one of these shapes, in order; one that is given twice counts twice."""
        found = [place for shape in shapes for place in self._places[shape]]
        if len(shapes) > 1:
            found.sort()
        return tuple(self.stretches[place].host or "" for place in found)

    @property
    def _places(self) -> Mapping[Shape, Sequence[int]]:
        """Which stretches have a shape."""
        known: dict[Shape, list[int]] | None = self.__dict__.get("_known_places")
        if known is None:
            known = self.__dict__["_known_places"] = {}
            for place, stretch in enumerate(self.stretches):
                known.setdefault(stretch.shape, []).append(place)
        return known

    def of(self, stretch: Stretch) -> Sequence[Reading]:
        """The readings of a stretch."""
        return self[stretch.start : stretch.end]

    def latest(self) -> Told:
        """The last of each part of each node, in order of the first ones. Give it readings of one attribute."""
        if "_latest" not in self.__dict__:
            latest = _latest(self)
            latest._latest = None
            if latest is not self:
                self._latest = latest
        return self if self._latest is None else self._latest


def told(readings: Iterable[Reading]) -> Told:
    """The readings with their stretches; of one tuple these are found once."""
    if isinstance(readings, Told):
        return readings
    return _told(Same(readings)) if isinstance(readings, tuple) else Told(readings)


class Same:
    """Stands for one tuple of readings and for no equal one: to compare a million of them takes too long."""

    __slots__ = ("readings",)

    def __init__(self, readings: tuple[Reading, ...]) -> None:
        self.readings = readings

    def __hash__(self) -> int:
        return id(self.readings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.readings is other.readings


@lru_cache(maxsize=16)
def _told(same: Same) -> Told:
    return Told(same.readings)


def _stretches_of(readings: Iterable[Reading]) -> Iterator[Stretch]:
    known: dict[object, Shape] = {}
    start = 0
    for host, group in groupby(readings, _host):
        some = list(group)
        end = start + len(some)
        yield Stretch(host, start, end, _shape(tuple(map(_part, some)), tuple(map(_value, some)), known))
        start = end


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
    found = Told(chain.from_iterable(every))
    found._joined = every
    return found


def _stretches_of_joined(several: Iterable[Told]) -> Iterator[Stretch]:
    before = 0
    for each in several:
        for host, start, end, shape in each.stretches:
            yield Stretch(host, before + start, before + end, shape)
        before += len(each)


def node_by_node(readings: Told) -> Told:
    """With one stretch for each node."""
    if readings.is_parted:
        return readings
    found: dict[str, list[Reading]] = {}
    for stretch in readings.stretches:
        found.setdefault(stretch.host or "", []).extend(readings.of(stretch))
    return Told(chain.from_iterable(found.values()))


def picked(readings: Told, places: Callable[[Shape], Sequence[int]]) -> Told:
    """Those at certain places of each shape. All of them are the very same."""
    of_shape = {shape: places(shape) for shape in readings.shapes}
    if all(len(some) == len(shape.parts) for shape, some in of_shape.items()):
        return readings
    known: dict[object, Shape] = {}
    new = {
        shape: _shape(tuple(shape.parts[at] for at in some), tuple(shape.values[at] for at in some), known)
        for shape, some in of_shape.items()
        if some
    }
    found: list[Reading] = []
    stretches: list[Stretch] = []
    for host, start, end, shape in readings.stretches:
        if shape in new:
            some, before = of_shape[shape], len(found)
            found.extend(readings[start:end] if len(some) == end - start else [readings[start + at] for at in some])
            stretches.append(Stretch(host, before, len(found), new[shape]))
    result = Told(found)
    result._stretches = tuple(stretches)
    return result


def _latest(readings: Told) -> Told:
    if not readings.is_parted or not all(_is_in_time(readings, stretch) for stretch in readings.stretches):
        return Told(_newest(readings))
    return picked(readings, lambda shape: shape.ask(_last_places))


def _last_places(shape: Shape) -> Sequence[int]:
    """The place of the last of each part, in order of the first ones."""
    return list({part: at for at, part in enumerate(shape.parts)}.values())


def _is_in_time(readings: Told, stretch: Stretch) -> bool:
    """Is none of these older than one before it? Where each part comes once that does not matter."""
    if len(stretch.shape.ask(_last_places)) == len(stretch.shape.parts):
        return True
    times = [reading.at for reading in readings.of(stretch)]
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
    return of_each_node(readings, lambda kind: len({name(part) for shape in kind for part in shape.parts}))


class Said(NamedTuple):
    """What one node says of several attributes."""

    kind: Hashable
    """Nodes of one kind say the same, each reading no earlier than those before it."""
    of_each: tuple[Sequence[Reading], ...]


def said_by_node(several: Sequence[Told]) -> dict[str, Said]:
    """Node -> what it says; nodes in order of appearance."""
    places: dict[str, list[Stretch | None]] = {}
    odd: set[str] = set()
    for number, readings in enumerate(several):
        for stretch in readings.stretches:
            host = stretch.host or ""
            mine = places.setdefault(host, [None] * len(several))
            if mine[number] is not None or not _is_in_time(readings, stretch):
                odd.add(host)
            mine[number] = stretch
    found: dict[str, Said] = {}
    for host, mine in places.items():
        pairs = zip(several, mine, strict=True)
        if host in odd:
            found[host] = Said(host, tuple([r for r in readings if (r.host or "") == host] for readings in several))
        else:
            kind = tuple(stretch and stretch.shape for stretch in mine)
            found[host] = Said(kind, tuple(readings.of(stretch) if stretch else () for readings, stretch in pairs))
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

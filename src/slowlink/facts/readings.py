"""What rules ask of readings: the latest, by node, by part, and how counters grew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import lru_cache
from itertools import pairwise
from typing import cast

from msgspec import Struct

from slowlink.facts.stretches import Same, Stretch, Told, told
from slowlink.model.facts import Readings, State
from slowlink.model.state import Part, Reading

PartOfNode = tuple[str, Part]
"""A part with the name of its node; the same part name means different things on different nodes."""


class _ByPart(Mapping[PartOfNode, Reading]):
    """Readings by their parts, of which no two are alike. To iterate over a hundred thousand takes no table of them."""

    def __init__(self, readings: Told) -> None:
        self._readings = readings
        self._table: dict[PartOfNode, Reading] | None = None

    def __getitem__(self, where: PartOfNode) -> Reading:
        if self._table is None:
            self._table = dict(self.items())
        return self._table[where]

    def __iter__(self) -> Iterator[PartOfNode]:
        return ((stretch.host or "", part) for stretch in self._readings.stretches for part in stretch.shape.parts)

    def __len__(self) -> int:
        return len(self._readings)

    def values(self) -> ValuesView[Reading]:
        return cast(ValuesView[Reading], self._readings)

    def items(self) -> ItemsView[PartOfNode, Reading]:
        return _Pairs(self, self._readings)


class _Pairs(ItemsView[PartOfNode, Reading]):
    def __init__(self, mapping: Mapping[PartOfNode, Reading], readings: Told) -> None:
        super().__init__(mapping)
        self._readings = readings

    def __iter__(self) -> Iterator[tuple[PartOfNode, Reading]]:
        return (((reading.host or "", reading.part), reading) for reading in self._readings)


class Growth(Struct, frozen=True):
    """How a counter of one part grew between its first and its last reading."""

    first: Reading
    last: Reading
    by: int
    seconds: float | None
    """Between the two; None when a time is not known."""


def node_of(reading: Reading) -> str:
    """Its node; of a placed reading (``facts.state``) there always is one."""
    return reading.host or ""


def by_attribute(readings: Readings, attribute: str) -> Told:
    """Those of one attribute."""
    return told(each_attribute(readings).get(attribute, ()))


def each_attribute(readings: Readings) -> Mapping[str, Sequence[Reading]]:
    """Attribute -> its readings."""
    return _of_each_attribute(Same(readings.all)) if readings.of_each is None else readings.of_each


def by_node(readings: Iterable[Reading]) -> dict[str, list[Reading]]:
    """Node -> its readings, in order."""
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        found.setdefault(node_of(reading), []).append(reading)
    return found


def by_part(readings: Iterable[Reading]) -> dict[PartOfNode, list[Reading]]:
    """(node, part) -> its readings, in order of time where it is known."""
    found: dict[PartOfNode, list[Reading]] = defaultdict(list)
    for reading in readings:
        found[reading.host or "", reading.part].append(reading)
    for series in found.values():
        if len(series) > 1 and all(reading.at is not None for reading in series):
            series.sort(key=lambda reading: reading.at or 0.0)
    return dict(found)


def latest(readings: Iterable[Reading]) -> Mapping[PartOfNode, Reading]:
    """The last reading of each part. Give it readings of one attribute."""
    return _by_part(Same(latest_of(readings)))


def latest_of(readings: Iterable[Reading]) -> Told:
    """The last readings alone, in order of the first of each part. Give it readings of one attribute."""
    return told(readings).latest()


def latest_in(state: State, attribute: str) -> Told:
    """The last readings of one attribute; none where it was not read."""
    found = state.readings.get(attribute)
    return latest_of(found.all if found is not None else ())


def without(readings: Iterable[Reading], *others: Iterable[Reading]) -> list[Reading]:
    """Those of ``readings`` that are none of the others."""
    known = {reading for some in others for reading in some}
    return [reading for reading in readings if reading not in known]


def latest_of_each(readings: Iterable[Reading]) -> list[Reading]:
    """The last reading of each attribute of each part."""
    by_attribute: dict[str, list[Reading]] = {}
    for reading in readings:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    return [reading for series in by_attribute.values() for reading in latest(series).values()]


def value_of(state: State, attribute: str, node: str, part: Part) -> Reading | None:
    """The last reading of one attribute of one part; None when it was not collected."""
    found = state.readings.get(attribute)
    return latest(found.all).get((node, part)) if found is not None else None


@lru_cache(maxsize=16)
def _by_part(same: Same[Reading]) -> _ByPart:
    """Rules ask for one node after another, and one rule asks what another one asked."""
    return _ByPart(told(same.records))


@lru_cache(maxsize=4)
def _of_each_attribute(same: Same[Reading]) -> Mapping[str, Sequence[Reading]]:
    """A rule asks for one attribute after another; each is the same tuple every time."""
    found: dict[str, list[Reading]] = {}
    for reading in same.records:
        found.setdefault(reading.attribute, []).append(reading)
    return {name: Told(readings) for name, readings in found.items()}


def worst(readings: Iterable[Reading]) -> list[Reading]:
    """Of each node the largest number of one attribute, the later of two alike."""
    found: dict[str, Reading] = {}
    for reading in readings:
        node = node_of(reading)
        if node not in found or float(reading.value) >= float(found[node].value):
            found[node] = reading
    return list(found.values())


def growth(readings: Iterable[Reading]) -> list[Growth]:
    """Counters that were read twice or more. A counter that fell was reset: it counts from zero.

    Two readings count as two only when their times differ, or, without times, when they stand in different lines of
    one source or in different sources.
    """
    found: list[Growth] = []
    readings = told(readings)
    if len(readings.latest()) == len(readings):  # no part was read twice
        return found
    for series in by_part(readings).values():
        numbers = [r for r in series if isinstance(r.value, int) and not isinstance(r.value, bool)]
        if len(numbers) < 2:
            continue
        first, last = numbers[0], numbers[-1]
        seconds = last.at - first.at if first.at is not None and last.at is not None else None
        if seconds is not None and seconds <= 0:
            continue
        found.append(Growth(first, last, _grown(numbers), seconds))
    return found


def _grown(series: Sequence[Reading]) -> int:
    """Sum of the steps between neighbours."""
    values = [int(reading.value) for reading in series]
    return sum(after - before if after >= before else after for before, after in pairwise(values))


def name_of_node(reading: Reading) -> str | None:
    """The node's own name; None when only the source stands for it."""
    return None if reading.host == reading.ref.source else reading.host


def nodes_of(readings: Iterable[Reading]) -> tuple[str, ...]:
    """Distinct named nodes, in order: what a message may name."""
    return tuple(dict.fromkeys(filter(None, map(_named, told(readings).stretches))))


def _named(stretch: Stretch) -> str | None:
    """The node of a stretch, unless only the source of all its readings stands for it."""
    (source, _), _ = stretch.held.ends()
    if stretch.host != source:
        return stretch.host
    return next(filter(None, map(name_of_node, stretch.held.readings())), None)

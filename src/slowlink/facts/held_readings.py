"""How readings of one attribute are held: one by one, as a piece of a block (``model.blocks``), several such, or a
choice of one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, groupby
from operator import attrgetter, itemgetter
from typing import Protocol

from slowlink.model.state import Part, Reading, Value

_host, _part, _value, _at = attrgetter("host"), attrgetter("part"), attrgetter("value"), attrgetter("at")
_first = itemgetter(0)
Place = tuple[str, int]
"""Source and line."""


class Held(Protocol):
    """Readings, which may be made anew each time that somebody asks for them."""

    def __len__(self) -> int: ...

    @property
    def parts(self) -> tuple[Part, ...]:
        """Of each reading."""

    @property
    def values(self) -> tuple[Value, ...]:
        """Of each reading."""

    @property
    def times(self) -> Sequence[float | None]:
        """Those at which they were read, in order; of a block there is one."""

    @property
    def likeness(self) -> tuple[int, ...] | None:
        """Those of which this is the same, while they are there, have the same parts and values; None where nothing
        tells."""

    def ends(self) -> tuple[Place, Place]:
        """Where the first and the last of them stand."""

    def by_host(self) -> Iterator[tuple[str | None, Held]]:
        """What follows one another and is of one node, with that node."""

    def readings(self) -> Sequence[Reading]:
        """All of them."""

    def picked(self, places: Sequence[int]) -> Sequence[Reading]:
        """Those at some places."""


def place_of(reading: Reading) -> Place:
    """Where it stands."""
    return reading.ref.source, reading.ref.line


class OneByOne:
    """Readings that are there."""

    __slots__ = ("_readings",)
    likeness = None

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._readings = readings

    def __len__(self) -> int:
        return len(self._readings)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(map(_part, self._readings))

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(map(_value, self._readings))

    @property
    def times(self) -> Sequence[float | None]:
        return [*map(_at, self._readings)]

    def ends(self) -> tuple[Place, Place]:
        return place_of(self._readings[0]), place_of(self._readings[-1])

    def by_host(self) -> Iterator[tuple[str | None, Held]]:
        for host, some in groupby(self._readings, _host):
            yield host, OneByOne(tuple(some))

    def readings(self) -> Sequence[Reading]:
        return self._readings

    def picked(self, places: Sequence[int]) -> Sequence[Reading]:
        return [self._readings[at] for at in places]


class Several:
    """Some of one node behind one another."""

    __slots__ = ("_held", "_starts")

    def __init__(self, held: Sequence[Held]) -> None:
        self._held = held
        self._starts = list(accumulate(map(len, held), initial=0))[:-1]

    def __len__(self) -> int:
        return sum(map(len, self._held))

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(chain.from_iterable(each.parts for each in self._held))

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(chain.from_iterable(each.values for each in self._held))

    @property
    def times(self) -> Sequence[float | None]:
        return [*chain.from_iterable(each.times for each in self._held)]

    @property
    def likeness(self) -> tuple[int, ...] | None:
        every = [each.likeness for each in self._held]
        return None if None in every else tuple(chain.from_iterable(filter(None, every)))

    def ends(self) -> tuple[Place, Place]:
        return self._held[0].ends()[0], self._held[-1].ends()[1]

    def by_host(self) -> Iterator[tuple[str | None, Held]]:
        return chain.from_iterable(each.by_host() for each in self._held)

    def readings(self) -> Sequence[Reading]:
        return [*chain.from_iterable(each.readings() for each in self._held)]

    def picked(self, places: Sequence[int]) -> Sequence[Reading]:
        found: list[Reading] = []
        for piece, some in groupby(((bisect_right(self._starts, at) - 1, at) for at in places), _first):
            start = self._starts[piece]
            found += self._held[piece].picked([at - start for _, at in some])
        return found


class Chosen:
    """Those at some places of others of one node."""

    __slots__ = ("_held", "_places")
    likeness = None

    def __init__(self, held: Held, places: Sequence[int]) -> None:
        self._held, self._places = held, places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(map(self._held.parts.__getitem__, self._places))

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(map(self._held.values.__getitem__, self._places))

    @property
    def times(self) -> Sequence[float | None]:
        times = self._held.times
        return times if len(times) == 1 else [*map(_at, self.readings())]

    def ends(self) -> tuple[Place, Place]:
        return OneByOne(self.picked((0, len(self) - 1))).ends()

    def by_host(self) -> Iterator[tuple[str | None, Held]]:
        return OneByOne(self.readings()).by_host()

    def readings(self) -> Sequence[Reading]:
        return self._held.picked(self._places)

    def picked(self, places: Sequence[int]) -> Sequence[Reading]:
        return self._held.picked([self._places[at] for at in places])

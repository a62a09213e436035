"""Readings of answers that are like another one, held as that one and what differs.

A thousand nodes answer alike but for some numbers. Their readings are two million, and of nearly all of them nothing is
asked but their part and value, which they have in common: they are made when somebody asks for the readings
themselves, and not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import NamedTuple, TypeVar, cast, overload

from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading, Value

T = TypeVar("T")
_NOTHING: Mapping[int, Reading] = {}
"""Of three hundred thousand pieces nearly none has a change."""


class Column(NamedTuple):
    """The readings of one attribute in an answer."""

    attribute: str
    places: tuple[int, ...]
    """Among all readings of the answer."""
    parts: tuple[Part, ...]
    values: tuple[Value, ...]
    lines: tuple[int, ...]
    texts: tuple[str, ...]
    """Number and text of the line of each."""


class Template:
    """The readings of an answer that others are like, as if it began in line 1 of some source."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self.readings = readings

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """By attribute, in order of appearance."""
        places: dict[str, list[int]] = {}
        for place, each in enumerate(self.readings):
            places.setdefault(each.attribute, []).append(place)
        return {name: self._column(name, tuple(some)) for name, some in places.items()}

    def _column(self, name: str, places: tuple[int, ...]) -> Column:
        some = [self.readings[place] for place in places]
        return Column(
            name,
            places,
            tuple(each.part for each in some),
            tuple(each.value for each in some),
            tuple(each.ref.line for each in some),
            tuple(each.ref.text for each in some),
        )

    @cached_property
    def parts(self) -> frozenset[Part]:
        """Each once."""
        return frozenset(each.part for each in self.readings)

    @cached_property
    def evidence(self) -> int:
        """How many lines of evidence they have."""
        return len({id(each.ref) for each in self.readings})

    @cached_property
    def names_no_node(self) -> bool:
        """Does none of them say of which node or time it is?"""
        return all(each.host is None and each.at is None for each in self.readings)


class Block(NamedTuple):
    """An answer that is like another one."""

    template: Template
    changed: Mapping[int, Reading]
    """By place among those of the template."""
    source: str
    by: int
    """So many lines stand before it."""
    host: str | None
    at: float | None
    """Where readings do not say it themselves."""

    def readings(self) -> list[Reading]:
        """All of them, one by one."""
        refs: dict[int, Ref] = {}
        found = []
        for place, each in enumerate(self.template.readings):
            if (changed := self.changed.get(place)) is not None:
                found.append(changed)
                continue
            old = each.ref
            if (ref := refs.get(id(old))) is None:
                ref = refs[id(old)] = Ref(self.source, old.line + self.by, old.text)
            host, at = (
                self.host if each.host is None else each.host,
                self.at if each.at is None else each.at,
            )
            found.append(Reading(each.attribute, each.part, each.value, ref, host, at))
        return found

    def is_of_one_node(self) -> bool:
        """Are all its readings of its node and time, and those that differ of the same attributes?"""
        originals = self.template.readings
        return self.template.names_no_node and all(
            (each.attribute, each.host, each.at) == (originals[place].attribute, self.host, self.at)
            for place, each in self.changed.items()
        )

    def pieces(self) -> Iterator[Piece]:
        """By attribute, of a block that is of one node."""
        differing: dict[str, dict[int, Reading]] = {}
        for place, each in self.changed.items():
            differing.setdefault(each.attribute, {})[place] = each
        for name, column in self.template.columns.items():
            mine = differing.get(name)
            yield Piece(self, column, {column.places.index(at): mine[at] for at in mine} if mine else _NOTHING)


class Piece:
    """The readings of one attribute in a block."""

    __slots__ = ("block", "changed", "column")

    def __init__(self, block: Block, column: Column, changed: Mapping[int, Reading]) -> None:
        """``changed``: by place in the column."""
        self.block, self.column, self.changed = block, column, changed

    def __len__(self) -> int:
        return len(self.column.places)

    @property
    def host(self) -> str | None:
        """The node of all of them."""
        return self.block.host

    @property
    def parts(self) -> tuple[Part, ...]:
        """Of each reading."""
        return _with(self.column.parts, {at: each.part for at, each in self.changed.items()})

    @property
    def values(self) -> tuple[Value, ...]:
        """Of each reading."""
        return _with(self.column.values, {at: each.value for at, each in self.changed.items()})

    @property
    def times(self) -> Sequence[float | None]:
        """It was read at one."""
        return (self.block.at,)

    @property
    def likeness(self) -> tuple[int, ...] | None:
        """Pieces of which this is the same, while they are there, have the same parts and values; None where nothing
        tells."""
        return None if self.changed else (id(self.column),)

    def ends(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Source and line of the first and of the last."""
        return self._stands_at(0), self._stands_at(len(self.column.places) - 1)

    def _stands_at(self, place: int) -> tuple[str, int]:
        changed = self.changed.get(place)
        if changed is not None:
            return changed.ref.source, changed.ref.line
        return self.block.source, self.column.lines[place] + self.block.by

    def by_host(self) -> Iterator[tuple[str | None, Piece]]:
        """All of it is of one node."""
        yield self.host, self

    def readings(self) -> list[Reading]:
        """All of them."""
        _, _, source, by, host, at = self.block
        name, _, parts, values, lines, texts = self.column
        refs = map(Ref, repeat(source), map(by.__add__, lines), texts)
        found = list(map(Reading, repeat(name), parts, values, refs, repeat(host), repeat(at)))
        for place, changed in self.changed.items():
            found[place] = changed
        return found

    def picked(self, places: Sequence[int]) -> list[Reading]:
        """Those at some places."""
        _, _, source, by, host, at = self.block
        name, _, parts, values, lines, texts = self.column
        return [
            self.changed[place]
            if place in self.changed
            else Reading(name, parts[place], values[place], Ref(source, lines[place] + by, texts[place]), host, at)
            for place in places
        ]


def _with(of_template: tuple[T, ...], changed: Mapping[int, T]) -> tuple[T, ...]:
    if not changed:
        return of_template
    every = list(of_template)
    for place, each in changed.items():
        every[place] = each
    return tuple(every)


def held_readings(pieces: Sequence[Reading | Block]) -> Sequence[Reading]:
    """Readings and those of blocks, in order."""
    return HeldReadings(pieces) if Block in map(type, pieces) else tuple(cast(Sequence[Reading], pieces))


class HeldReadings(Sequence[Reading]):
    """Readings of all sources, in order, of which most stand in blocks. They are made anew each time."""

    def __init__(self, pieces: Iterable[Reading | Block]) -> None:
        self.pieces = tuple(pieces)

    def __len__(self) -> int:
        return sum(len(each.template.readings) if type(each) is Block else 1 for each in self.pieces)

    def __iter__(self) -> Iterator[Reading]:
        for each in self.pieces:
            if type(each) is Block:
                yield from each.readings()
            else:
                yield each  # type: ignore[misc]

    @overload
    def __getitem__(self, at: int) -> Reading: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Reading]: ...
    def __getitem__(self, at: int | slice) -> Reading | Sequence[Reading]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeldReadings | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

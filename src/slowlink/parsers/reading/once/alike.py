"""Answers that are like one that was read before, in few words: that one, what differs, and where it stands.

They travel so, and stay so (``model.blocks``): nobody copies the two thousand readings of a node from list to list, or
sends them from process to process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct, field

from slowlink.model.blocks import Block, Template
from slowlink.model.source import Ref
from slowlink.model.state import Collected, Reading
from slowlink.parsers.forms.interface import Record

Number = tuple[bytes, int, int]
"""What no two originals of this world share, of whatever process and machine."""
_HERE = os.urandom(8)
_COUNT = count()


def _new_number() -> Number:
    return _HERE, os.getpid(), next(_COUNT)  # a process that is forked off has another id


class Original(Struct):
    """The readings of an answer that others are like, as if it began in line 1."""

    readings: Sequence[Reading]
    number: Number = field(default_factory=_new_number)


class Moved:
    """Moves evidence to a source and down by so many lines. Equal lines of evidence stay one object.

    With a ``section`` its readings are of the node and of the time that this names: they need not be placed later."""

    def __init__(self, source: str, by: int, section: Collected | None = None) -> None:
        self.source, self.by = source, by
        self.host, self.at = (section.host, section.at) if section is not None else (None, None)
        self._refs: dict[int, Ref] = {}

    def ref(self, old: Ref) -> Ref:
        found = self._refs.get(id(old))
        if found is None:
            found = self._refs[id(old)] = Ref(self.source, old.line + self.by, old.text)
        return found

    def readings(self, old: Iterable[Reading]) -> list[Reading]:
        """The readings where their answer stands."""
        ref, host, at = self.ref, self.host, self.at
        return [
            Reading(
                each.attribute,
                each.part,
                each.value,
                ref(each.ref),
                host if each.host is None else each.host,
                at if each.at is None else each.at,
            )
            for each in old
        ]


class Alike(Struct):
    """One such answer."""

    original: Original
    changed: Mapping[int, Reading]
    """By place among those of the original."""
    move: Moved

    @property
    def line(self) -> int:
        """The first one."""
        return self.move.by + 1

    def readings(self) -> list[Reading]:
        """All readings, one by one."""
        move, changed = self.move, self.move.readings(self.changed.values())
        at = dict(zip(self.changed, changed, strict=True))
        return Block(Template(self.original.readings), at, move.source, move.by, move.host, move.at).readings()


def spelt_out(found: Iterable[Record | Alike | Block]) -> Iterator[Record]:
    """All records by themselves."""
    for each in found:
        if type(each) is Alike or type(each) is Block:
            yield from each.readings()
        else:
            yield each  # type: ignore[misc]

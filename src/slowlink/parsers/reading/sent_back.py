"""What a process found in a batch of sources, on its way back: readings as columns, each text and part once.

The answers of nodes are thousands of readings each, of few texts. As objects they took longer to send than to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any, cast

from msgspec import Struct

from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.reading.shared import Shared
from slowlink.parsers.reading.side_by_side import Parcels

Found = tuple[list[Record], SourceStats, bytes]
"""Records of one input, what became of it, and the digest of its bytes; b"" where there were none."""


class _Readings(Struct):
    """Readings; numbers say which of ``texts``, ``parts`` and of their own ``refs`` they have."""

    texts: list[str]
    parts: list[Part]
    attribute: list[int]
    part: list[int]
    value: list[Value]
    """A text is one of ``texts``: its number stands in ``told`` and not here."""
    told: dict[int, int]
    """Place of a reading -> the number of the text that is its value."""
    ref: list[int]
    refs: tuple[list[int], list[int], list[int]]
    """Source, line and text of each line of evidence."""
    host: list[str | None]
    at: list[float | None]

    def made(self, shared: Shared) -> list[Reading]:
        """The readings, of texts and parts that ``shared`` knows."""
        text, part = list(map(shared.text, self.texts)), list(map(shared.part, self.parts))
        sources, lines, of_lines = self.refs
        refs = list(
            map(Ref, map(text.__getitem__, sources), map(shared.number, lines), map(text.__getitem__, of_lines))
        )
        times: dict[float | None, float | None] = {}
        for place, number in self.told.items():
            self.value[place] = text[number]
        return list(
            map(
                Reading,
                map(text.__getitem__, self.attribute),
                map(part.__getitem__, self.part),
                map(shared.value, self.value),
                map(refs.__getitem__, self.ref),
                self.host,
                map(times.setdefault, self.at, self.at),
            )
        )


class _Numbered(dict[Any, int]):
    """Each key has the number of its first use."""

    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def _columns(readings: list[Reading]) -> _Readings:
    texts, parts = _Numbered(), _Numbered()
    refs = {id(each.ref): each.ref for each in readings}
    places = dict(zip(refs, range(len(refs)), strict=True))
    evidence = refs.values()
    value: list[Value] = [each.value for each in readings]
    told = {place: texts[each] for place, each in enumerate(value) if type(each) is str}
    for place in told:
        value[place] = 0
    return _Readings(
        attribute=[texts[each.attribute] for each in readings],
        part=[parts[each.part] for each in readings],
        value=value,
        told=told,
        ref=[places[id(each.ref)] for each in readings],
        refs=(
            [texts[ref.source] for ref in evidence],
            [ref.line for ref in evidence],
            [texts[r.text] for r in evidence],
        ),
        host=[each.host for each in readings],
        at=[each.at for each in readings],
        texts=list(texts),
        parts=list(parts),
    )


class _Parcel(Struct):
    """What was found in several sources."""

    readings: _Readings
    others: list[list[Record | int]]
    """Of each source, in order; a number stands for so many readings."""
    rest: list[tuple[SourceStats, bytes]]


class FoundParcels(Parcels[Found]):
    """Sends what was found. What comes out of the parcels of one of these has its texts and parts in common."""

    def __init__(self) -> None:
        self._shared = Shared()

    @staticmethod
    def packed(answers: list[Found]) -> _Parcel:
        readings: list[Reading] = []
        others: list[list[Record | int]] = []
        for found, *_ in answers:
            kept: list[Record | int] = []
            for kind, same in groupby(found, type):
                if kind is Reading:
                    before = len(readings)
                    readings.extend(cast(Iterable[Reading], same))
                    kept.append(len(readings) - before)
                else:
                    kept.extend(same)
            others.append(kept)
        return _Parcel(_columns(readings), others, [(stats, digest) for _, stats, digest in answers])

    def unpacked(self, parcel: _Parcel) -> list[Found]:
        self._shared.forget_many()
        readings = iter(parcel.readings.made(self._shared))
        return [
            (list(_in_order(others, readings)), stats, digest)
            for others, (stats, digest) in zip(parcel.others, parcel.rest, strict=True)
        ]


def _in_order(others: Iterable[Record | int], readings: Iterator[Reading]) -> Iterator[Record]:
    for each in others:
        if isinstance(each, int):
            yield from islice(readings, each)
        else:
            yield each


def shared_among(everything: Iterable[Found]) -> Iterator[Found]:
    """The same, with their texts and parts in common."""
    parcels = FoundParcels()
    for found in everything:
        yield from parcels.unpacked(parcels.packed([found]))

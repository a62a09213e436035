"""What a process found in a batch of sources, on its way back: readings as columns, each text and part once.

The answers of nodes are thousands of readings each, of few texts. As objects they took longer to send than to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Any, cast

from msgspec import Struct, field

from slowlink.model.blocks import Block, Template
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.reading.once.alike import Alike, Number, spelt_out
from slowlink.parsers.reading.shared import Shared
from slowlink.parsers.reading.side_by_side import LostError, Parcels

_MOST_READINGS = 1 << 20
"""Of all originals that are kept."""

Found = tuple[Sequence[Record | Block], SourceStats, bytes]
"""Records of one input, what became of it, and the digest of its bytes; b"" where there were none."""
SpeltOut = tuple[list[Record], SourceStats, bytes]
"""The same with all readings one by one."""
Read = tuple[Sequence[Record | Alike], SourceStats, bytes]
"""The same as it is read."""


def alone(read: Read | Found) -> SpeltOut:
    """With all records spelt out."""
    found, stats, digest = read
    return [*spelt_out(found)], stats, digest


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


def _columns(readings: Sequence[Reading]) -> _Readings:
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


class _Placed(Struct):
    """A block on its way: its original was sent before, or is in the same parcel."""

    original: Number
    source: str
    by: int
    host: str | None
    at: float | None
    changed: list[int]
    """Places of readings of the parcel in the original."""


class _Parcel(Struct):
    """What was found in several sources."""

    readings: _Readings
    others: list[list[Record | int | _Placed]]
    """Of each source, in order; a number stands for so many readings."""
    rest: list[tuple[SourceStats, bytes]]
    originals: dict[Number, _Readings]
    """Those that were not sent before."""


class _Given(Struct):
    """The originals that this process has sent to one and the same receiver."""

    receiver: bytes = b""
    originals: set[Number] = field(default_factory=set)

    def to(self, receiver: bytes) -> set[Number]:
        if receiver != self.receiver:
            self.receiver, self.originals = receiver, set()
        return self.originals


_GIVEN = _Given()


class FoundParcels(Parcels[Read, Found]):
    """Sends what was found. What comes out of the parcels of one of these has its texts and parts in common.

    What an answer has in common with those like it (``once.alike``) is sent once by each process. Where the parcel
    with it was lost, or it is long since anything was like it and it was forgotten, the next one cannot be unpacked:
    then everybody begins anew."""

    def __init__(self, most_readings: int = _MOST_READINGS) -> None:
        self._shared = Shared()
        self._most = most_readings
        self._originals: dict[Number, Template] = {}
        """What was used last stands last."""
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Nobody has sent anything to a receiver of this name."""
        self.packed = partial(_packed, os.urandom(16))

    def unpacked(self, parcel: _Parcel) -> list[Found]:
        self._shared.forget_many()
        for number, sent in parcel.originals.items():
            self._originals[number] = Template(sent.made(self._shared))
        readings = iter(parcel.readings.made(self._shared))
        found: list[Found] = [
            (list(self._in_order(others, readings)), stats, digest)
            for others, (stats, digest) in zip(parcel.others, parcel.rest, strict=True)
        ]
        self._forget_the_oldest()
        return found

    def _forget_the_oldest(self) -> None:
        held = sum(len(known.readings) for known in self._originals.values())
        while held > self._most:
            held -= len(self._originals.pop(next(iter(self._originals))).readings)

    def _in_order(
        self, others: Iterable[Record | int | _Placed], readings: Iterator[Reading]
    ) -> Iterator[Record | Block]:
        for each in others:
            if isinstance(each, int):
                yield from islice(readings, each)
            elif isinstance(each, _Placed):
                known = self._originals.pop(each.original, None)
                if known is None:
                    self._begin_anew()
                    raise LostError
                self._originals[each.original] = known
                changed = dict(zip(each.changed, islice(readings, len(each.changed)), strict=True))
                yield Block(known, changed, self._shared.text(each.source), each.by, each.host, each.at)
            else:
                yield each


def _packed(receiver: bytes, answers: list[Read]) -> _Parcel:
    given, originals = _GIVEN.to(receiver), dict[Number, _Readings]()
    readings: list[Reading] = []
    others: list[list[Record | int | _Placed]] = []
    for found, *_ in answers:
        kept: list[Record | int | _Placed] = []
        for kind, same in groupby(found, type):
            if kind is Reading:
                before = len(readings)
                readings.extend(cast(Iterable[Reading], same))
                kept.append(len(readings) - before)
            elif kind is Alike:
                for block in cast(Iterable[Alike], same):
                    original, move = block.original, block.move
                    if original.number not in given and original.number not in originals:
                        originals[original.number] = _columns(original.readings)
                    readings.extend(move.readings(block.changed.values()))
                    kept.append(_Placed(original.number, move.source, move.by, move.host, move.at, [*block.changed]))
            else:
                kept.extend(cast(Iterable[Record], same))
        others.append(kept)
    given.update(originals)
    return _Parcel(_columns(readings), others, [(stats, digest) for _, stats, digest in answers], originals)


def shared_among(everything: Iterable[SpeltOut]) -> Iterator[Found]:
    """The same, with their texts and parts in common."""
    parcels = FoundParcels()
    for found in everything:  # nothing in them is like another
        yield from parcels.unpacked(parcels.packed([found]))

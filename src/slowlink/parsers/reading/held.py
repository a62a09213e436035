"""How much of all inputs together is held in memory: ten thousand, each within its limits, may still be too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import Struct, msgpack
from msgspec.structs import astuple

from slowlink.model.blocks import Block
from slowlink.model.edges import EdgeColumns
from slowlink.model.nccl import NcclLog
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Record

T = TypeVar("T")

MOST_BYTES = 3 << 30
"""Of records, as objects or written out, which is about the same. The answers of 10,000 nodes are some 2.5 GB."""
NO_ROOM = (
    "read and left out: what the inputs before it say takes all the memory that slowlink allows itself; "
    "analyze fewer at a time"
)
_READING_BYTES, _EVIDENCE_BYTES = 76, 68
"""Of a reading, and of a line of evidence with its number, beside their texts: as measured (``test_held.py``)."""
_AT_A_TIME = 4_000
"""Records, or values of one, that are written out at once."""
_ENCODER = msgpack.Encoder(enc_hook=repr)


class Held:
    """Counts what is kept of each input."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._left = most_bytes

    def has_room(self, found: Sequence[Record | Block]) -> bool:
        """May the records of one more input be kept? If so they count from now on."""
        size = _size(found)
        if size > self._left:
            return False
        self._left -= size
        return True


def _size(found: Sequence[Record | Block]) -> int:
    blocks = [record for record in found if type(record) is Block]
    readings = [record for record in found if type(record) is Reading]
    others: list[Struct] = [r for r in found if isinstance(r, Struct) and type(r) is not Reading]
    logs = [record for record in others if isinstance(record, NcclLog)]
    rest = [record for record in others if not isinstance(record, NcclLog)] if logs else others
    size = sum(_length([astuple(each) for each in some]) for some in _cut(rest))
    return size + _size_of_readings(readings) + sum(map(_size_of_block, blocks)) + sum(map(_length, _pieces(logs)))


def _size_of_readings(readings: Sequence[Reading]) -> int:
    """Nearly all of what nodes answer, and what they have in common is held once: to write each of them out would take
    longer than to make it."""
    texts = {reading.ref.text for reading in readings}
    texts.update(reading.part.name for reading in readings)
    texts.update(reading.value for reading in readings if type(reading.value) is str)
    evidence = {id(reading.ref) for reading in readings}
    return _READING_BYTES * len(readings) + _EVIDENCE_BYTES * len(evidence) + sum(map(len, texts))


def _size_of_block(block: Block) -> int:
    """Of all its readings: whoever needs them one by one holds them so."""
    template = block.template
    changed = _size_of_readings(tuple(block.changed.values()))
    return _READING_BYTES * len(template.readings) + _EVIDENCE_BYTES * template.evidence + changed


def _cut(values: Sequence[T]) -> Iterator[Sequence[T]]:
    return (values[start : start + _AT_A_TIME] for start in range(0, len(values), _AT_A_TIME))


def _pieces(found: Sequence[Struct]) -> Iterator[Sequence[object]]:
    """All that is in ``found``, a little at a time: a log of NCCL's is one record, and may be as large as all else."""
    for record in found:
        for value in astuple(record):
            if isinstance(value, EdgeColumns):
                yield from _pieces([value])
            elif isinstance(value, tuple):
                yield from _cut(value)
            else:
                yield (value,)


def _length(piece: Sequence[object]) -> int:
    try:
        return len(_ENCODER.encode(piece))
    except (OverflowError, UnicodeEncodeError):  # a number of more than 64 bits, half a surrogate pair out of JSON
        return len(repr(piece))

"""How much of all inputs together is held in memory: ten thousand, each within its limits, may still be too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import Struct, msgpack
from msgspec.structs import astuple

from slowlink.model.edges import EdgeColumns
from slowlink.model.nccl import NcclLog
from slowlink.parsers.forms.interface import Record

T = TypeVar("T")

MOST_BYTES = 3 << 30
"""Of records, written out: about what they take as objects. The answers of 10,000 nodes are some 2.5 GB."""
NO_ROOM = (
    "read and left out: what the inputs before it say takes all the memory that slowlink allows itself; "
    "analyze fewer at a time"
)
_AT_A_TIME = 4_000
"""Records, or values of one, that are written out at once."""
_ENCODER = msgpack.Encoder(enc_hook=repr)


class Held:
    """Counts what is kept of each input."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._left = most_bytes

    def has_room(self, found: Sequence[Record]) -> bool:
        """May the records of one more input be kept? If so they count from now on."""
        size = _size(found)
        if size > self._left:
            return False
        self._left -= size
        return True


def _size(found: Sequence[Record]) -> int:
    logs: list[Struct] = [record for record in found if isinstance(record, NcclLog)]
    others: Sequence[Struct] = [each for each in found if not isinstance(each, NcclLog)] if logs else found
    size = sum(_length([astuple(each) for each in some]) for some in _cut(others))
    return size + sum(map(_length, _pieces(logs)))


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

"""How much of all inputs together is held in memory: ten thousand, each within its limits, may still be too much."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import msgpack

from slowlink.parsers.forms.interface import Record

MOST_BYTES = 3 << 30
"""Of records, written out: about what they take as objects. The answers of 10,000 nodes are some 2.5 GB."""
NO_ROOM = (
    "read and left out: what the inputs before it say takes all the memory that slowlink allows itself; "
    "analyze fewer at a time"
)
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
    try:
        return len(_ENCODER.encode(found))
    except OverflowError:  # a number of more than 64 bits: nothing sound has one
        return len(repr(found))

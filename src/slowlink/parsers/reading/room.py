"""How much one sender may have: bytes of MessagePack, and what they become, weighed before any object is made.

A map of one byte becomes a record of some hundred, so a bound on bytes is none on memory.

Source: the MessagePack specification (github.com/msgpack/msgpack, spec.md): the first byte of a value tells its kind
and its length, or how many bytes hold the length.
"""

from __future__ import annotations

MOST_BYTES = 256 << 20
"""Of all that one sender sent, unpacked."""
MOST_WEIGHT = 16_000_000
"""Of all that one sender sent: some 300,000 readings of nodes, or half a million empty records."""
_OF_A_MAP = 32
"""A map is a record, with all its members; any other value weighs 1."""

_MAP, _ARRAY, _LONG = "map", "array", "long"
_SIZED = {
    0xC4: (_LONG, 1),
    0xC5: (_LONG, 2),
    0xC6: (_LONG, 4),  # bytes
    0xC7: ("extension", 1),
    0xC8: ("extension", 2),
    0xC9: ("extension", 4),
    0xD9: (_LONG, 1),
    0xDA: (_LONG, 2),
    0xDB: (_LONG, 4),  # texts
    0xDC: (_ARRAY, 2),
    0xDD: (_ARRAY, 4),
    0xDE: (_MAP, 2),
    0xDF: (_MAP, 4),
}
"""First byte -> what it is, and how many bytes behind it hold its length."""
_MAPS = (0xDE, 0xDF)
_FIXED = {
    0xC0: 0,
    0xC1: 0,
    0xC2: 0,
    0xC3: 0,
    0xCA: 4,
    0xCB: 8,
    0xCC: 1,
    0xCD: 2,
    0xCE: 4,
    0xCF: 8,
    0xD0: 1,
    0xD1: 2,
    0xD2: 4,
    0xD3: 8,
    0xD4: 2,
    0xD5: 3,
    0xD6: 5,
    0xD7: 9,
    0xD8: 17,
}
"""First byte -> how many bytes follow."""


class Room:
    """What one sender may still have."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_weight: int = MOST_WEIGHT) -> None:
        self.bytes_left = most_bytes
        self._weight_left = most_weight

    def has_taken(self, unpacked: bytes) -> bool:
        """Is there room for these values? Then it is taken; else nothing is, and no more of them were looked at than
        there would have been room for. What is no MessagePack weighs what it weighs up to there."""
        if len(unpacked) > self.bytes_left:
            return False
        at, open_values, left, end = 0, 1, self._weight_left, len(unpacked)
        while open_values and at < end and left >= 0:
            first = unpacked[at]
            inner, behind = _inside(first, unpacked, at)
            at += 1 + behind
            left -= _OF_A_MAP if 0x80 <= first <= 0x8F or first in _MAPS else 1
            open_values += inner - 1
        if left < 0:
            return False
        self.bytes_left -= len(unpacked)
        self._weight_left = left
        return True


def _inside(first: int, data: bytes, at: int) -> tuple[int, int]:
    """How many values stand inside the one that begins here, and how many bytes it has behind its first, without
    those."""
    if first <= 0x7F or first >= 0xE0:
        return 0, 0
    if first <= 0x8F:
        return 2 * (first & 0x0F), 0
    if first <= 0x9F:
        return first & 0x0F, 0
    if first <= 0xBF:
        return 0, first & 0x1F
    if first in _FIXED:
        return 0, _FIXED[first]
    kind, width = _SIZED[first]
    length = int.from_bytes(data[at + 1 : at + 1 + width], "big")
    if kind == _MAP:
        return 2 * length, width
    if kind == _ARRAY:
        return length, width
    return 0, width + length + (kind == "extension")

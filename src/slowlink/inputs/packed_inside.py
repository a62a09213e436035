"""Compressed data in the middle of a text: somebody appended an archive to a log, or two files became one.

A text that begins as one is read as one, so what is packed in it is not read. It begins with bytes that no text has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slowlink.inputs.stream import DamagedError

_BEGINNINGS = {
    b"\x1f\x8b\x08": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh91AY&SY": "bzip2",
}
"""RFC 1952, 2.3.1; the .xz format, 2.1.1.1; RFC 8878, 3.1.1; bzip2's block header behind the largest block size."""
_ANY = re.compile(b"|".join(map(re.escape, _BEGINNINGS)))
_NOT_IN_TEXT = (b"\x1f", b"\xfd")
"""Packed data has them soon, and texts do not: to look for single bytes costs a hundredth of a search for words."""
_LONGEST = max(map(len, _BEGINNINGS))


def told_packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """``pieces`` as they are. Raises DamagedError behind the last one where something packed stood in them."""
    end, found = b"", ""
    for piece in pieces:
        found = found or _packed_in(end + piece[:_LONGEST]) or _packed_in(piece)
        end = (end + piece[-_LONGEST:])[-_LONGEST + 1 :]
        yield piece
    if found:
        raise DamagedError(f"{found} data stands in the text; what is packed in it was not read")


def _packed_in(data: bytes) -> str:
    found = _ANY.search(data) if any(byte in data for byte in _NOT_IN_TEXT) else None
    return _BEGINNINGS[found[0]] if found else ""

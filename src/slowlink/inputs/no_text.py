"""What is no text in the middle of one: an archive appended to a log, two files that became one, a block of a disk.

A text that begins as one is read as one, so what stands there is not read. Packed data begins with bytes that no text
has; for other data it is enough that it is full of bytes that no text has, in any encoding.
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
_NOT_IN_TEXT = (b"\x1f", b"\xfd", b"BZh")
"""Packed data has them soon, and texts do not: to look for single bytes costs a hundredth of a search for words."""
_LONGEST = max(map(len, _BEGINNINGS))
_CONTROLS = bytes({*range(32)} - {*b"\0\a\b\t\n\v\f\r\x1b"})
"""Those that neither texts nor terminals use. NUL is left where a machine crashed, and looked for elsewhere."""
_SOME_CONTROLS = (b"\x02", b"\x12", b"\x17", b"\x1d")
"""Where one of them is missing, there are no kilobytes of binary data."""
_MOST_CONTROLS = 64
"""In one piece. Binary data of one kilobyte has about 90."""
_FEW_CONTROLS = bytes({*range(1, 32)} - {*b"\a\b\t\n\v\f\r\x0e\x0f\x1b"})
"""Those that nobody prints, not even to draw (SO and SI)."""
_LEAST_CONTROLS, _LEAST_STRANGE = 2, 4
"""In one line, of bytes that are not of UTF-8. Sixty bytes of packed data have about five and twenty; the heads of
Docker's frames have two and one, and other encodings none of the first."""
_ZLIB = re.compile(rb"x[\x5e\x9c\xda]")
"""RFC 1950, 2.2: deflate with a window of 32 KiB, by the levels that programs use."""
_LONGEST_CHARACTER = 4


def told_no_text(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """``pieces`` as they are. Raises DamagedError behind the last one where something that is no text stood in them."""
    end, found = b"", ""
    for piece in pieces:
        found = found or _packed_in(end + piece[:_LONGEST]) or _packed_in(piece) or _binary_in(piece) or _odd_in(piece)
        end = (end + piece[-_LONGEST:])[-_LONGEST + 1 :]
        yield piece
    if found:
        raise DamagedError(found)


def _packed_in(data: bytes) -> str:
    found = _ANY.search(data) if not data.isascii() and any(byte in data for byte in _NOT_IN_TEXT) else None
    return f"{_BEGINNINGS[found[0]]} data stands in the text; what is packed in it was not read" if found else ""


def _binary_in(data: bytes) -> str:
    if not all(byte in data for byte in _SOME_CONTROLS):
        return ""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return "binary data stands in the text; what was there before it is not read" if controls > _MOST_CONTROLS else ""


def _odd_in(data: bytes) -> str:
    """A few bytes of packed or other data, among lines of text."""
    if data.isascii() or _is_utf8(data):
        return ""
    for line in data.split(b"\n"):
        controls = len(line) - len(line.translate(None, _FEW_CONTROLS)) if not line.isascii() else 0
        if not controls:
            continue
        strange = len(line) - len(line.decode("utf-8", "ignore").encode())
        zlib = _ZLIB.search(line) is not None
        if strange >= _LEAST_STRANGE - zlib and controls >= _LEAST_CONTROLS - zlib:
            return "binary data stands in the text; what it says is not read"
    return ""


def _is_utf8(data: bytes) -> bool:
    """But for a character that begins or ends elsewhere."""
    start = next((at for at in range(min(_LONGEST_CHARACTER, len(data))) if data[at] & 0xC0 != 0x80), 0)
    try:
        data[start:].decode("utf-8")
    except UnicodeDecodeError as odd:
        return odd.reason == "unexpected end of data"
    return True

"""What a text holds in Base64: attachments of mail, files below the keys of a manifest, what somebody appended.

It is decoded and kept apart, as a member of an archive would be: the text itself stays as it is. What decodes to text
or to something packed is read; data of no known kind is named where it is long enough to be some; what no log would
stand in (keys, certificates, pictures, tokens) is neither.

Source: RFC 4648, 4 (the alphabet), RFC 2045, 6.8 (lines of 76 characters), RFC 7468, 2 (lines of 64, between labels).
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from slowlink.inputs.kinds import kind_of
from slowlink.inputs.stream import ByteStream
from slowlink.inputs.tar import is_tar
from slowlink.inputs.unpack import compression
from slowlink.inputs.zip import is_zip

MOST_BYTES = 64 << 20
"""Of all that one text holds."""
MOST = 1000
"""Blocks that are kept of one text."""
LEAST_DATA_LINES = 8
"""Fewer lines of what is neither text nor packed are a key or a picture of one."""
_LEAST_DATA_BYTES, _LEAST_VALUES = 300, 100
"""Data of a kind that nobody knows has so many bytes, and so many different ones among the first of them."""
_TIMES_OVER = 3
_LOOKED_AT = 1 << 13
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b\b\x07"}) + b"\x7f"
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Enclosed(NamedTuple):
    """One file inside a text."""

    name: str
    data: bytes


class Enclosures(Struct):
    """Keeps what is found in one text, up to a limit; ``problem`` says what was not kept."""

    problem: str = ""
    _each: list[tuple[str, list[bytes]]] = field(default_factory=list)
    _series: dict[bytes, int] = field(default_factory=dict)
    """Form of a record -> the place in ``_each`` of what such records hold."""
    _held: int = 0

    def add(
        self,
        name: str,
        code: bytes,
        *,
        lines: int = 1,
        is_file: bool = False,
        has_label: bool = False,
        form: bytes = b"",
    ) -> None:
        """Keep what ``code`` (Base64 without line ends, from so many lines) stands for, if it may hold a log.

        ``is_file``: its text says that a file is encoded there. ``has_label``: a label of a key or the like stands
        before it. Texts in records of one ``form`` (b"" for none) are the lines of one file.
        """
        data = _decoded(code)
        if not _may_hold_logs(data, name, lines=lines, is_file=is_file, has_label=has_label):
            return
        at = self._series.get(form) if form and is_text(data) else None
        if (at is None and len(self._each) >= MOST) or self._held + len(data) > MOST_BYTES:
            self.left_out()
            return
        self._held += len(data)
        if at is not None:
            self._each[at][1].append(data)
            return
        if form and is_text(data):
            self._series[form] = len(self._each)
        self._each.append((name, [data]))

    def left_out(self) -> None:
        self.problem = f"holds more than {MOST:,} files or {MOST_BYTES >> 20} MiB in Base64; not all were read"

    def unsearched(self, most_bytes: int) -> None:
        """A line of more than ``most_bytes`` may hold more."""
        limit = f"{most_bytes >> 20} MiB"
        self.problem = f"has a line of more than {limit} that may be Base64; it was not searched for files in it"

    def taken(self) -> Iterator[Enclosed]:
        """Each, once."""
        each, self._each = self._each, []
        self._series.clear()
        for name, parts in each:
            yield Enclosed(name, _joined(parts))


def _joined(parts: list[bytes]) -> bytes:
    """What several records hold, each in lines of its own."""
    if len(parts) == 1:
        return parts[0]
    return b"".join(part if part.endswith(b"\n") else part + b"\n" for part in parts)


def _decoded(code: bytes) -> bytes:
    """What ``code`` stands for, also where that is Base64 again."""
    for _ in range(_TIMES_OVER):
        bare = code.rstrip(b"=")
        whole = bare[:-1] if len(bare) % 4 == 1 else bare
        data = binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))
        code = data.translate(None, b"\r\n")
        if len(code) < _LEAST_DATA_BYTES or code.rstrip(b"=").translate(None, _ALPHABET):
            break
    return data


def _may_hold_logs(data: bytes, name: str, *, lines: int, is_file: bool, has_label: bool) -> bool:
    start = data[:_LOOKED_AT]
    stream = ByteStream(iter((start,)))
    if compression(stream) is not None or is_zip(stream) or is_tar(stream):
        return True
    if is_text(data):
        return not start.startswith((b"-----BEGIN ", b'{"alg"', b'{"typ"')) or is_file
    if is_file:
        return bool(data)
    if lines < LEAST_DATA_LINES or has_label or len(data) < _LEAST_DATA_BYTES or len(set(start)) < _LEAST_VALUES:
        return False
    kind = kind_of(start, name)
    is_key = start[:2] in (b"\x30\x82", b"\x30\x80") or start.startswith((b"openssh-key-v1\0", b"\0\0\0"))
    return not is_key and (kind is None or kind.may_hold_logs)


def is_text(data: bytes) -> bool:
    """Every byte is one of a text in UTF-8 or UTF-16, and words are parted from each other."""
    start = data[:_LOOKED_AT]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or start[1::2].count(0) > 0.45 * len(start):
        return True
    if len(start.translate(None, _CONTROLS)) < len(start) or not any(blank in start for blank in (b" ", b"\n", b"\t")):
        return False
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as odd:
        return odd.reason == "unexpected end of data"
    return True

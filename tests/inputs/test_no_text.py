"""Compressed and other binary data in the middle of a text is not read, and that is said."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import slowlink
from slowlink.inputs.no_text import told_no_text
from slowlink.inputs.stream import DamagedError

PACKED = {
    "gzip": gzip.compress(random.Random(1).randbytes(5000)),
    "xz": lzma.compress(random.Random(1).randbytes(5000)),
    "bzip2": bz2.compress(random.Random(1).randbytes(5000)),
    "zstd": zstandard.compress(random.Random(1).randbytes(5000)),
}


# The beginning of bzip2's data is made of letters: what is no text comes behind it, in a piece of a usual size.
@pytest.mark.parametrize(
    ("name", "size"), [*((name, size) for name in ("gzip", "xz", "zstd") for size in (1, 7, 64)), ("bzip2", 65_536)]
)
def test_it_is_found_wherever_pieces_end(name: str, size: int) -> None:
    data = b"a line (with brackets)\n" * 50 + PACKED[name] + b"\na line\n"
    passed: list[bytes] = []
    with pytest.raises(DamagedError, match=name):
        passed.extend(told_no_text(data[at : at + size] for at in range(0, len(data), size)))
    assert b"".join(passed) == data[: len(b"".join(passed))]


@given(st.lists(st.text(max_size=60), max_size=8))
def test_no_text_is_taken_for_packed(pieces: list[str]) -> None:
    assert list(told_no_text(piece.encode() for piece in pieces)) == [piece.encode() for piece in pieces]


def test_a_log_with_an_archive_behind_it_is_not_wholly_read() -> None:
    report = slowlink.analyze(b"a line\n" * 2000 + PACKED["gzip"])
    assert [each.problem for each in report.inputs if each.problem] == [
        "gzip data stands in the text; what is packed in it was not read"
    ]


def test_a_block_of_a_disk_in_a_log_is_told() -> None:
    report = slowlink.analyze(
        b"a line\n" * 2000 + random.Random(3).randbytes(4096).replace(b"\0", b"") + b"a line\n" * 9
    )
    assert [each.problem for each in report.inputs if each.problem] == [
        "binary data stands in the text; what was there before it is not read"
    ]


@pytest.mark.parametrize("encoding", ["gb18030", "shift_jis", "cp1251", "utf-8"])
def test_other_encodings_are_texts(encoding: str) -> None:
    words = "".join(map(chr, [*range(0x4E00, 0x4E80), *range(0x410, 0x450)]))
    line = (words.encode(encoding, "ignore") + b"\x1b[0m\x07\n") * 200
    assert list(told_no_text([line])) == [line]


SMALL = {
    "bzip2": bz2.compress(b"[   12.3] NVRM: Xid 79"),
    "zlib": zlib.compress(b"[   12.3] NVRM: Xid 79, GPU has fallen off the bus"),
    "random": random.Random(5).randbytes(200),
}


@pytest.mark.parametrize("data", SMALL.values(), ids=SMALL.keys())
def test_a_few_bytes_of_packed_data_are_told(data: bytes) -> None:
    with pytest.raises(DamagedError, match="stands in the text"):
        list(told_no_text([b"a line\n" * 2000 + data + b"\na line\n" * 2000]))


def test_heads_of_frames_are_no_packed_data() -> None:
    frames = b"".join(
        b"\x02\0\0\0\0\0\x01" + bytes([size]) + b"x" * (256 + size - 1) + b"\n" for size in range(128, 256)
    )
    text = [frames, "step 1 \u2713 \u4e00\n".encode() * 99, "caf\u00e9 x\u00da\x0elqk\x0f\n".encode("latin-1") * 99]
    assert list(told_no_text(text)) == text


def test_characters_that_pieces_cut_are_no_packed_data() -> None:
    data = "\x02\x03 \u4e00\u4e01\u4e02\u4e03\n".encode() * 50
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    assert list(told_no_text(pieces)) == pieces

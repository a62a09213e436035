"""Compressed and other binary data in the middle of a text is not read, and that is said."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random

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

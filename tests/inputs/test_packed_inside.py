"""Compressed data in the middle of a text is not read, and that is said."""

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
from slowlink.inputs.packed_inside import told_packed
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
        passed.extend(told_packed(data[at : at + size] for at in range(0, len(data), size)))
    assert b"".join(passed) == data[: len(b"".join(passed))]


@given(st.lists(st.text(max_size=60), max_size=8))
def test_no_text_is_taken_for_packed(pieces: list[str]) -> None:
    assert list(told_packed(piece.encode() for piece in pieces)) == [piece.encode() for piece in pieces]


def test_a_log_with_an_archive_behind_it_is_not_wholly_read() -> None:
    report = slowlink.analyze(b"a line\n" * 2000 + PACKED["gzip"])
    assert [each.problem for each in report.inputs if each.problem] == [
        "gzip data stands in the text; what is packed in it was not read"
    ]

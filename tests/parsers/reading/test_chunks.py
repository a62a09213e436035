"""Where a long text is cut into parts: at the end of a line, and never inside a JSON value."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.reading import chunks
from slowlink.parsers.reading.chunks import cut_of


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"one\ntwo\nthr", 8),
        (b'x\n{"a": [\n  1,\n', 2),
        (b'{"a": 1}\n{"b": 2}\n', 18),
        (b'{x\n  "toy": [1,\n', 16),
    ],
    ids=["the last whole line", "before an open value", "behind closed ones", "an opening brace that opens nothing"],
)
def test_where_a_part_ends(data: bytes, cut: int) -> None:
    assert cut_of(data) == cut


@given(st.lists(st.sampled_from([b"{", b"}", b"[", b"{x", b'{"a": 1}', b'  "toy": [1,', b"words", b""]), max_size=12))
def test_any_order_of_brackets_has_an_end(lines: list[bytes]) -> None:
    """It ends, and at the end of a line."""
    data = b"".join(line + b"\n" for line in lines)
    cut = cut_of(data)
    assert 0 <= cut <= len(data)
    assert data[:cut][-1:] in (b"", b"\n")


ANY_BRACE = re.compile(rb"^(?=\{|\[[\"{\[\n\r])", re.MULTILINE)
pieces = st.sampled_from(
    [
        b"{",
        b"{ ",
        b"{'loss': 1}",
        b"{}",
        b'{"a": 1}',
        b'{"a":',
        b'  "b": [1,',
        b"[",
        b"]",
        b"}",
        b"\t",
        b"",
        b"{1",
        b"x",
    ]
)


@given(st.lists(pieces, max_size=12), st.booleans())
def test_braces_that_open_nothing_need_not_be_looked_at(lines: list[bytes], ended: bool) -> None:
    """The Trainer of transformers prints a dictionary of Python's for each step."""
    data = b"\n".join(lines) + b"\n" * ended
    cut = cut_of(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_JSON_START", ANY_BRACE)
        assert cut_of(data) == cut

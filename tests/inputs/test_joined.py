"""Lines that were joined into one are taken apart, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import joined, letters
from slowlink.inputs.mended import mended
from slowlink.inputs.stream import DamagedError


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        (b"mill: a#012b c#012d\n", b"mill: a\rb c\rd\n"),
        (b"mill: a#015#012#011b\n", b"mill: a\r\tb\n"),
        (b"<out>a&#10;b&#xA;c&#13;&#10;d</out>", b"<out>a\rb\rc\rd</out>"),
        (b"a<br>b<br/>c<BR />d", b"a\rb\rc\rd"),
        (b"one\na#012b\ntwo", b"one\na\rb\ntwo"),
    ],
)
def test_joined_lines_come_apart(text: bytes, apart: bytes) -> None:
    assert joined.apart(text) == apart
    for size in (1, 3, 7):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert b"".join(mended(pieces, lambda piece: piece, joined.BEGUN)) == text


@pytest.mark.parametrize(
    "text",
    [
        b"issue #012 is open",
        b"color #0123ff",
        b"| a<br>b | c<br>d |",
        b"a cell<br>",
        b'{"msg": "a#012b"}',
        b'gpu17: {"msg": "a&#10;b"}',
        b"&#65;&#39;",
    ],
)
def test_what_is_no_joint_stays(text: bytes) -> None:
    assert joined.apart(text) == text


@pytest.mark.parametrize("size", [1, 2, 5, 11])
def test_a_joint_is_found_wherever_pieces_end(size: int) -> None:
    text = b"mill: a#012b" * 20 + b"\n" + b"&#10;c" * 9
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert b"".join(mended(pieces, joined.apart, joined.BEGUN)).count(b"\r") == 29


def test_damage_is_told_behind_the_last_piece() -> None:
    def broken() -> Iterator[bytes]:
        yield b"a#01"
        raise DamagedError("cut")

    passed: list[bytes] = []
    with pytest.raises(DamagedError, match="cut"):
        passed.extend(mended(broken(), joined.apart, joined.BEGUN))
    assert b"".join(passed) == b"a#01"


def test_strings_have_joined_lines_too() -> None:
    assert joined.lines_in("a#012b\nc") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (rb"\u004e\u0043\u0043\u004c", b"NCCL"),
        (rb"a\u000ab", rb"a\nb"),
        (rb"\u0022\u005c\u0007", rb"\u0022\u005c\u0007"),
        (rb"\\u0041 \\\u0041", rb"\\u0041 \\A"),
    ],
)
def test_letters_written_as_numbers_are_read(text: bytes, plain: bytes) -> None:
    assert letters.with_letters(text) == plain
    for size in (1, 4):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert b"".join(mended(pieces, letters.with_letters, letters.BEGUN)) == plain


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_no_byte_is_lost(pieces: list[bytes]) -> None:
    assert b"".join(mended(pieces, lambda piece: piece, joined.BEGUN)) == b"".join(pieces)

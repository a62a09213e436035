"""A recording of a terminal says what the terminal printed, wherever its records end."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import cast
from slowlink.inputs.cast import played
from slowlink.inputs.stream import ByteStream
from slowlink.inputs.text import text_of

HEADERS = {
    "v2": {"version": 2, "width": 80, "height": 24, "timestamp": 1741083072, "env": {"SHELL": "/bin/sh"}},
    "v3": {"version": 3, "term": {"cols": 80, "rows": 24}},
}


def recorded(header: str, texts: list[str]) -> bytes:
    records: list[object] = [HEADERS[header]] if header in HEADERS else []
    for text in texts:
        records += [[0.25, "o", text], [0.5, "i", "ls\r"], [0.5, "r", "80x24"]]
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def whole(texts: list[str]) -> bytes:
    value = {"version": 1, "width": 80, "height": 24, "duration": 1.5, "stdout": [[0.1, text] for text in texts]}
    return json.dumps(value, indent=2).encode()


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXT, st.lists(st.integers(0, 60), max_size=8), st.sampled_from(["v1", "v2", "v3"]))
def test_what_was_printed_is_read(text: str, cuts: list[int], version: str) -> None:
    texts = [text[start:end] for start, end in pairwise(sorted([0, *cuts, len(text)]))]
    data = whole(texts) if version == "v1" else recorded(version, texts)
    assert b"".join(played([data])) == text.encode()


@pytest.mark.parametrize("size", [150, 151, 1000])
def test_pieces_and_comments_do_not_matter(size: int) -> None:
    data = recorded("v3", ["mill ", "turns\r\n", "again\r\n"] * 9) + b"# the end\n\n"
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert b"".join(played(pieces)) == b"mill turns\r\nagain\r\n" * 9


def test_a_line_that_is_no_record_stays() -> None:
    assert b"mill stands\n" in b"".join(played([recorded("v2", ["a"]) + b'mill stands\n[1, "o", "cut'])).splitlines(
        True
    )


@pytest.mark.parametrize(
    "data",
    [
        b'{"version": 2, "name": "x"}\n[1, "o", "y"]\n',
        b'{"version": 1, "stdout": ["a", "b"]}\n',
        b'{"version": 1, "stdout": [[0.1, "cut',
        b'{"level": "info", "msg": "version: 2, width: 3"}\n',
        b"a line\n",
        b"",
    ],
)
def test_other_json_stays(data: bytes) -> None:
    assert b"".join(played([data])) == data


def test_a_long_recording_of_one_value_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cast, "MOST_BYTES", 100)
    data = whole(["mill turns\r\n"] * 9)
    assert b"".join(played([data[:90], data[90:200], data[200:]])) == data


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b'[1, "o", "x"]', b"[[" * 9, b"{}"]), max_size=8))
def test_nothing_raises(parts: list[bytes]) -> None:
    for begin in (recorded("v2", []), b'{"version": 1, "stdout": [', b""):
        b"".join(played([begin, *parts]))


def test_it_is_taken_off_before_lines_are_read() -> None:
    data = recorded("v2", ["status=1", "2 of the ", "mill\r\n"])
    assert b"".join(text_of(ByteStream(iter([data])))) == b"status=12 of the mill\r\n"

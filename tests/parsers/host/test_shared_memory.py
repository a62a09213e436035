"""df: the row of /dev/shm in any unit."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.shared_memory import SharedMemory

TABLE = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  1.8T  412G  1.3T  25% /
tmpfs           252G  1.5G  251G   1% /dev/shm
tmpfs           5.0M     0  5.0M   0% /run/lock
"""
LINES = [*TABLE.splitlines(), "Filesystem 1K-blocks Used Available Use% Mounted on", "tmpfs 1024 24 1000 3% /dev/shm"]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(SharedMemory, text.splitlines())]


@pytest.mark.parametrize(
    ("text", "size", "free"),
    [
        (
            "Filesystem      Size  Used Avail Use% Mounted on\nshm              64M     0   64M   0% /dev/shm",
            64 << 20,
            64 << 20,
        ),
        ("Filesystem 1K-blocks Used Available Use% Mounted on\ntmpfs 1024 24 1000 3% /dev/shm", 1 << 20, 1000 << 10),
        ("Filesystem Type 1M-blocks Used Avail Use% Mounted on\ntmpfs tmpfs 10 9 1 90% /dev/shm", 10 << 20, 1 << 20),
        ("tmpfs           252G  1.5G  251G   1% /dev/shm", 252 << 30, 251 << 30),
    ],
)
def test_df(text: str, size: int, free: int) -> None:
    assert said(text) == [("shm-size", "", size), ("shm-free", "", free)]


def test_other_file_systems_are_not_asked_for() -> None:
    assert said(TABLE) == [("shm-size", "", 252 << 30), ("shm-free", "", 251 << 30)]


def test_a_row_that_is_cut_says_nothing() -> None:
    row = "tmpfs           252G  1.5G  251G   1% /dev/shm"
    assert [said(row[:end]) for end in range(len(row))] == [[]] * len(row)


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert SharedMemory.wants(text) == SharedMemory.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(SharedMemory, lines):
        assert 1 <= r.ref.line <= len(lines)

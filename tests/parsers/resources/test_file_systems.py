"""df and lfs df: room in file systems, in any unit."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.resources.file_systems import FileSystems

TABLE = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  1.8T  412G  1.3T  25% /
tmpfs           252G  1.5G  251G   1% /dev/shm
tmpfs           5.0M     0  5.0M   0% /run/lock
"""
LINES = [
    *TABLE.splitlines(),
    "OST0002             : inactive device",
    "Filesystem 1K-blocks Used Available Use% Mounted on",
    "tmpfs 1024 24 1000 3% /dev/shm",
]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(FileSystems, text.splitlines())]


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


def test_file_systems_that_jobs_write_to_are_read_and_those_of_the_system_are_not() -> None:
    assert said(TABLE) == snapshot(
        [
            ("filesystem-size", "/", 1979120929997),
            ("filesystem-free", "/", 1429365116109),
            ("shm-size", "", 270582939648),
            ("shm-free", "", 269509197824),
        ]
    )


def test_the_heading_tells_inodes_from_space() -> None:
    text = """\
Filesystem        Inodes    IUsed   IFree IUse% Mounted on
/dev/sda2       29294592 29294592       0  100% /
/dev/sdb1              0        0       0     - /data
"""
    assert said(text) == snapshot([("filesystem-inodes-free", "/", 0)])


def test_targets_of_lustre_are_parts_of_their_own() -> None:
    text = """\
UUID                       bytes        Used   Available Use% Mounted on
scratch-OST0001_UUID       87.3T       87.0T        1.2G 100% /scratch[OST:1]
OST0002             : inactive device
"""
    assert said(text) == snapshot(
        [
            ("filesystem-size", "/scratch[OST:1]", 95987365104845),
            ("filesystem-free", "/scratch[OST:1]", 1288490189),
            ("filesystem-server-active", "OST0002", False),
        ]
    )


@pytest.mark.parametrize(
    "row",
    [
        "/dev/loop0                  64M   64M     0 100% /snap/core20/2318",
        "/dev/sr0                   1.1G  1.1G     0 100% /media/cdrom",
        "efivarfs                   256K  250K    2K  99% /sys/firmware/efi/efivars",
        "/dev/sda1                  511M  511M     0 100% /boot/efi",
    ],
)
def test_what_is_always_full_and_what_no_job_writes_to_is_left_out(row: str) -> None:
    assert said(f"Filesystem      Size  Used Avail Use% Mounted on\n{row}") == []


def test_a_row_that_is_cut_says_nothing_of_shared_memory() -> None:
    row = "tmpfs           252G  1.5G  251G   1% /dev/shm"
    assert not [found for end in range(len(row)) for found in said(row[:end]) if found[0] == "shm-size"]


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert FileSystems.wants(text) == FileSystems.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(FileSystems, lines):
        assert 1 <= r.ref.line <= len(lines)

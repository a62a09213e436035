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
    ("heading", "row", "size", "free"),
    [
        (
            "Filesystem     1048576-blocks  Used Available Capacity Mounted on",
            "fs 2048 1024 1024 50% /d",
            1 << 31,
            1 << 30,
        ),
        ("Filesystem     1GB-blocks  Used Available Use% Mounted on", "fs 7GB 2GB 5GB 29% /d", 7 * 10**9, 5 * 10**9),
        ("Filesystem       512B-blocks  Used Available Use% Mounted on", "fs 4 2 2 50% /d", 2048, 1024),
        ("Filesystem          1B-blocks  Used Available Use% Mounted on", "fs 4 2 2 50% /d", 4, 2),
        ("Filesystem     Avail  Used  Size Use% Mounted on", "fs 1G 3G 4G 75% /d", 4 << 30, 1 << 30),
        ("Dateisystem    1K-Blöcke Benutzt Verfügbar Verw% Eingehängt auf", "fs 4 2 2 50% /d", 4096, 2048),
        ("Filesystem Type Size Used Avail Use% Mounted on", "v9 9p 4,5G 2G 2,5G 45% /d", 4831838208, 2684354560),
        ("Filesystem 1K-blocks Used Available Use% Mounted on", "//nas/a b 4 2 2 50% /d", 4096, 2048),
        ("Filesystem 1K-blocks Used Available Use% Mounted on", "                4 2 2 50% /d", 4096, 2048),
        ("Filesystem 1K-blocks Used Available Use% Mounted on", "fs 4 5 -1 125% /d", 4096, 0),
    ],
)
def test_the_heading_names_the_columns_and_the_unit(heading: str, row: str, size: int, free: int) -> None:
    assert said(f"{heading}\n{row}") == [("filesystem-size", "/d", size), ("filesystem-free", "/d", free)]


def test_all_columns_at_once_give_space_and_inodes() -> None:
    text = """\
Filesystem     Type   Inodes IUsed IFree IUse% 1K-blocks    Used   Avail Use% File Mounted on
/dev/nvme1n1p1 xfs      4096  4000    96   98%   8388608 4194304 4194304  50% -    /scratch
"""
    assert said(text) == [
        ("filesystem-size", "/scratch", 8 << 30),
        ("filesystem-free", "/scratch", 4 << 30),
        ("filesystem-inodes-free", "/scratch", 96),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "/dev/sda2 29294592 29294592 0 100% /",
        "total 29294592 29294592 0 100% -",
        "autofs - - - - /net",
    ],
)
def test_plain_numbers_without_a_heading_say_nothing(row: str) -> None:
    assert said(row) == []


def test_a_heading_holds_for_its_own_table() -> None:
    far = "\n".join(["x"] * 500)
    assert said(f"Filesystem 1K-blocks Used Available Use% Mounted on\n{far}\n/dev/sda2 8 8 0 100% /") == []


def test_a_target_of_lustre_is_named_in_two_ways() -> None:
    rows = "scratch-OST0007_UUID: Cannot send after transport endpoint shutdown\nscratch-MDT0001_UUID: inactive device"
    assert said(rows) == [
        ("filesystem-server-active", "OST0007", False),
        ("filesystem-server-active", "MDT0001", False),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "cvmfs2                     4.0G  4.0G     0 100% /cvmfs/software.site",
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

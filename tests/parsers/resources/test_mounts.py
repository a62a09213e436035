"""mount, findmnt and /proc/mounts: whether disks can be written to."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.resources.mounts import FACTS, Mounts

MOUNT = [
    "/dev/mapper/rhel-root on / type xfs (rw,relatime,attr2,inode64,noquota)",
    "/dev/nvme1n1p1 on /local type ext4 (ro,relatime,emergency_ro)",
    "nas:/sw on /sw type nfs4 (ro,relatime,vers=4.2)",
    "/dev/loop0 on /snap/core20/2318 type squashfs (ro,nodev,relatime)",
    "├─/local /dev/nvme1n1p1 ext4 ro,relatime",
]


def test_disks_and_nothing_else() -> None:
    assert [(r.part.name, r.value) for r in feed(Mounts, MOUNT)] == snapshot(
        [("/", False), ("/local", True), ("/local", True)]
    )


def test_programs_that_a_container_was_given_are_read_only_on_purpose() -> None:
    given = [
        "/dev/nvme0n1p2 /usr/bin/nvidia-smi ext4 ro,nosuid,nodev,relatime 0 0",
        "/dev/nvme0n1p2 on /usr/lib/x86_64-linux-gnu/libcuda.so.570.1 type ext4 (ro,nosuid,nodev,relatime)",
    ]
    assert list(feed(Mounts, given)) == []


def test_findmnt_names_a_folder_of_a_device() -> None:
    lines = ["└─/scratch   nvme1n1[/sub]   ext4   ro,relatime", "/data tank/data zfs rw,xattr"]
    assert [(r.part.name, r.value) for r in feed(Mounts, lines)] == [("/scratch", True), ("/data", False)]


def test_each_sample_gives_its_value() -> None:
    for fact in FACTS:
        for line, value in fact.samples.items():
            assert [r.value for r in feed(Mounts, [line])] == [value], line


def test_wants_is_blind_to_digits() -> None:
    for text in MOUNT:
        assert Mounts.wants(text) == Mounts.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(MOUNT), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Mounts, lines):
        assert 1 <= r.ref.line <= len(lines)

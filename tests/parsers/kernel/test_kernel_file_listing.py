"""Kernel files whose path stands above or beside their content, as people paste them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.kernel.kernel_file_listing import KernelFileListing, kernel_path
from slowlink.parsers.reading.read import read

PASTED_FILES = """\
# tail -n +1 /sys/class/infiniband/mlx5_1/ports/1/*
==> /sys/class/infiniband/mlx5_1/ports/1/state <==
1: DOWN

==> /sys/class/infiniband/mlx5_1/ports/1/phys_state <==
2: Polling
root@n1:~# cat /sys/class/infiniband/mlx5_2/ports/1/phys_state
5: LinkUp
# cat /sys/class/infiniband/mlx5_2/fw_ver
cat: /sys/class/infiniband/mlx5_2/fw_ver: No such file or directory
/sys/class/net/ens1np0/mtu -> 9000
/sys/class/infiniband/mlx5_4/ports/1/rate 400 Gb/sec (4X NDR)
$ cat /sys/class/infiniband/mlx5_4/ports/1/gids/3
0000:0000:0000:0000:0000:ffff:0a01:0204
capture/mlx5_3/ports/1/rate:200 Gb/sec (2X NDR)
/sys/devices/pci0000:16/0000:17:00.0/infiniband/mlx5_0/ports/1/lid
0x11
"""


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading."""
    return [f"{r.attribute} {r.part.name} = {r.value}" for r in records(text).readings]


def test_every_form_gives_the_content_of_its_file() -> None:
    assert said(PASTED_FILES) == snapshot(
        [
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "port-physical-state mlx5_2/1 = LinkUp",
            "interface-mtu ens1np0 = 9000",
            "port-rate mlx5_4/1 = 400.0",
            "port-width mlx5_4/1 = 4",
            "gid-value mlx5_4/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0204",
            "gid-ipv4 mlx5_4/1/3 = 10.1.2.4",
            "port-rate mlx5_3/1 = 200.0",
            "port-width mlx5_3/1 = 2",
            "port-lid mlx5_0/1 = 17",
        ]
    )


def test_next_to_no_line_stays_unread() -> None:
    (source,) = records(PASTED_FILES).sources
    assert [ref.text for ref in source.unread_samples if not ref.text.startswith("#")] == []


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/host/sys/class/infiniband/mlx5_0/fw_ver", "sys/class/infiniband/mlx5_0/fw_ver"),
        ("/sys/devices/pci0000:16/0000:17:00.0/net/ens1np0/mtu", "sys/class/net/ens1np0/mtu"),
        ("mlx5_0/ports/1/state", "sys/class/infiniband/mlx5_0/ports/1/state"),
        ("/proc/self/limits", "proc/self/limits"),
        ("/etc/nccl.conf", None),
        ("/opt/mlx5_0/readme", None),
    ],
)
def test_paths_of_kernel_files(path: str, known: str | None) -> None:
    assert kernel_path(path) == known


@pytest.mark.parametrize(
    "lines",
    [
        ["==> /sys/class/net/ens1np0/mtu <==", "cat: ens1np0/mtu: Invalid argument"],
        ["==> /etc/nccl.conf <==", "9000"],
        ["/sys/class/net/ens1np0/mtu"],
        ["see /sys/class/net/ens1np0/mtu for the size", "9000"],
    ],
)
def test_what_is_no_content(lines: list[str]) -> None:
    assert feed(KernelFileListing, lines) == []


@given(keep=st.integers(0, 20), middle=st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_cutting_never_raises_and_never_invents(keep: int, middle: int) -> None:
    lines = PASTED_FILES.splitlines()[:keep]
    cut = "\n".join([*lines[:-1], lines[-1][:middle]]) if lines else ""
    whole, part = records(PASTED_FILES), records(cut)
    (source,) = part.sources
    assert source.used + source.ignored + source.unread == source.lines
    known = {(r.attribute, r.part, r.value) for r in whole.readings}
    assert {(r.attribute, r.part, r.value) for r in part.readings if r.ref.line < len(lines)} <= known


@given(st.lists(st.text(max_size=60) | st.sampled_from(PASTED_FILES.splitlines()), max_size=12))
@settings(deadline=None)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert all(KernelFileListing.wants(text) == KernelFileListing.wants(shape_of(text).decode()) for text in lines)
    assert all(1 <= found.ref.line <= len(lines) for found in feed(KernelFileListing, lines))

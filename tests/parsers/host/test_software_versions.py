"""Versions in lists of packages, of the linker's libraries, and in files of the distribution."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.host.software_versions import SoftwareVersions

DPKG = """\
Desired=Unknown/Install/Remove/Purge/Hold
| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend
|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)
||/ Name                 Version                Architecture Description
+++-====================-======================-============-=================================
ii  libnccl2:amd64       2.21.5-1+cuda12.4      amd64        NVIDIA Collective Communication
hi  libibverbs1:amd64    2410mlnx54-1.2410068   amd64        Library for direct userspace use
rc  libnccl-dev          2.19.3-1+cuda12.2      amd64        NVIDIA Collective Communication
ii  bash                 5.2.21-2ubuntu4        amd64        GNU Bourne Again SHell
"""
RPM = """\
rdma-core-2410mlnx54-1.2410068.x86_64
nvidia-fabric-manager-550.54.15-1.x86_64
kernel-5.14.0-427.13.1.el9_4.x86_64
"""
REST = """\
MLNX_OFED_LINUX-24.10-0.7.0.0:
PRETTY_NAME="Ubuntu 24.04.1 LTS"
VERSION_ID="24.04"
\tlibnccl.so.2 (libc6,x86-64) => /opt/nccl/lib/libnccl.so.2
/usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5
"""
LINES = (DPKG + RPM + REST).splitlines()


def said(text: str) -> list[tuple[str, str, object]]:
    return [(r.part.name, r.attribute, r.value) for r in feed(SoftwareVersions, text.splitlines())]


def test_only_installed_packages_below_collectives_are_read() -> None:
    assert said(DPKG) == snapshot(
        [
            ("libnccl2", "package-version", "2.21.5-1+cuda12.4"),
            ("libibverbs1", "package-version", "2410mlnx54-1.2410068"),
        ]
    )


def test_names_with_hyphens_are_told_from_their_versions() -> None:
    assert said(RPM) == snapshot(
        [
            ("rdma-core", "package-version", "2410mlnx54-1.2410068"),
            ("nvidia-fabric-manager", "package-version", "550.54.15-1"),
        ]
    )


def test_ofed_distribution_and_libraries() -> None:
    assert said(REST) == snapshot(
        [
            ("", "ofed-version", "MLNX_OFED_LINUX-24.10-0.7.0.0"),
            ("", "os-release", "Ubuntu 24.04.1 LTS"),
            ("libnccl.so", "library-path", "/opt/nccl/lib/libnccl.so.2"),
            ("libnccl.so", "library-version", "2.21.5"),
        ]
    )


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith(("ii  lib", "rdma", "MLNX", "PRETTY"))])
def test_a_line_that_is_cut_gives_no_other_name(line: str) -> None:
    (whole,) = said(line)
    for end in range(len(line)):
        for part, attribute, value in said(line[:end]):
            assert (part, attribute) == whole[:2]
            assert str(whole[2]).startswith(str(value))


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert SoftwareVersions.wants(text) == SoftwareVersions.wants(shape_of(text).decode()), text


@given(st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(SoftwareVersions, lines):
        assert 1 <= r.ref.line <= len(lines)

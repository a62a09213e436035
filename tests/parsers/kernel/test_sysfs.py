"""Kernel files: every table's own samples, and the shapes of lines."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.state import Value
from slowlink.parsers.kernel.sysfs import Sysfs, path_facts

GREPPED = """\
$ grep -H . /sys/class/infiniband/mlx5_0/ports/1/state
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
/sys/class/infiniband/mlx5_0/device/numa_node:-1
/sys/class/net/ens1np0/mtu:9000
/sys/class/net/ens1np0/speed:-1
/sys/bus/pci/drivers/nvidia/0000:3b:00.0/current_link_speed:32.0 GT/s PCIe
/sys/bus/pci/drivers/nvidia/0000:3b:00.0/current_link_width:16
/sys/devices/system/cpu/cpufreq/policy0/scaling_governor:performance
/proc/sys/kernel/numa_balancing:1
/proc/driver/nvidia/version:NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build
/sys/module/nvidia_peermem/version:570.86.10
ls: cannot access '/sys/kernel/mm/memory_peers': No such file or directory
/sys/class/infiniband/mlx5_0/unknown:7
"""
SAMPLES = [(fact.attribute, text, value) for fact in path_facts() for text, value in fact.samples.items()]


@pytest.mark.parametrize(("attribute", "text", "value"), SAMPLES)
def test_samples(attribute: str, text: str, value: Value | None) -> None:
    found = {r.attribute: r.value for r in feed(Sysfs, [text])}
    assert found.get(attribute) == value


def test_the_hosts_root_may_be_mounted_elsewhere() -> None:
    (found,) = feed(Sysfs, ["/host/proc/sys/kernel/numa_balancing:1"])
    assert (found.attribute, found.value) == ("numa-balancing", True)


def test_addresses_in_paths_hold_colons() -> None:
    path = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/unknown"
    assert feed(Sysfs, [f"{path}:x"]) == []
    assert Sysfs.wants(f"{path}:x")


def test_names_of_parts_are_whole() -> None:
    for _, text, _ in SAMPLES:
        assert all("None" not in r.part.name for r in feed(Sysfs, [text]))


def test_the_root_of_a_container_lies_deep() -> None:
    deep = "/var/lib/containers/storage/overlay/0f3c9a/merged/host/proc/sys/kernel/numa_balancing:0"
    (found,) = feed(Sysfs, [deep])
    assert found.value is False
    assert feed(Sysfs, ["/" + "a/" * 200_000 + "proc/sys/kernel/numa_balancing:0"]) == []


def said(text: str) -> list[tuple[str, str, Value]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(Sysfs, text.splitlines())]


def test_the_files_of_a_node() -> None:
    assert said(GREPPED) == snapshot(
        [
            ("port-state", "mlx5_0/1", "Active"),
            ("port-rate", "mlx5_0/1", 400.0),
            ("port-width", "mlx5_0/1", 4),
            ("interface-mtu", "ens1np0", 9000),
            ("pcie-speed", "0000:3b:00.0", 32.0),
            ("pcie-width", "0000:3b:00.0", 16),
            ("cpu-governor", "0", "performance"),
            ("numa-balancing", "", True),
            ("driver-version", "", "570.86.10"),
            ("gpu-driver-open", "", True),
            ("module-version", "nvidia_peermem", "570.86.10"),
            ("peer-memory-interface", "", False),
        ]
    )


@given(end=st.integers(0, len(GREPPED)))
def test_a_listing_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    last = len(GREPPED[:end].splitlines())
    found = feed(Sysfs, GREPPED[:end].splitlines())
    known = {(r.attribute, r.part, r.value) for r in feed(Sysfs, GREPPED.splitlines())}
    assert {(r.attribute, r.part, r.value) for r in found if r.ref.line < last} <= known


@given(
    st.lists(st.text(max_size=60) | st.sampled_from([text for _, text, _ in SAMPLES]), max_size=8), st.integers(0, 40)
)
def test_any_lines_give_a_result(lines: list[str], start: int) -> None:
    cut = [line[start:] for line in lines]
    assert all(1 <= found.ref.line <= len(cut) for found in feed(Sysfs, cut))

"""Kernel files: every table's own samples, and the shapes of lines."""

from __future__ import annotations

import pytest
from feeding import feed

from slowlink.model.state import Value
from slowlink.parsers.kernel.sysfs import Sysfs, path_facts

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

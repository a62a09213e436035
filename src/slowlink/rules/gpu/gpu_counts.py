"""How many GPUs each node shows, by its driver and on its PCI bus."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Readings
from slowlink.model.state import Reading


class Count(NamedTuple):
    """How many GPUs a node shows, and a reading that shows it."""

    number: int
    reading: Reading


def gpu_counts(gpus: Readings) -> dict[str, Count]:
    """By node: as many as the tool says, else as it lists by number."""
    stated = latest_of(by_attribute(gpus, "gpu-count"))
    found = {r.host or "": Count(r.value, r) for r in stated if isinstance(r.value, int)}
    listed: dict[str, dict[str, Reading]] = {}
    for reading in gpus.all:
        if reading.part.kind == "gpu" and reading.part.name.isdecimal():
            listed.setdefault(reading.host or "", {})[reading.part.name] = reading
    for node, parts in listed.items():
        # A gap in the numbers (GPUs 0, 1 and 5) is a choice of GPUs or a cut text, and no count of the node.
        if node not in found and sorted(map(int, parts)) == list(range(len(parts))):
            found[node] = Count(len(parts), next(iter(parts.values())))
    return found


def gpus_on_bus(gpus: Readings) -> Counter[str]:
    """Node -> GPUs of NVIDIA that lspci lists."""
    ours = {(r.host, r.part) for r in by_attribute(gpus, "pci-device") if "nvidia" in str(r.value).lower()}
    cards = {(r.host, r.part) for r in by_attribute(gpus, "pci-role") if r.value == "gpu"}
    return Counter(host or "" for host, _ in cards & ours)

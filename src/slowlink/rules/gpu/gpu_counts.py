"""How many GPUs each node shows, by its driver and on its PCI bus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Readings
from slowlink.model.state import Reading

_MOST = 1024
"""Numbers of GPUs that a node can have; behind it is something else."""


class Count(NamedTuple):
    """How many GPUs a node shows, and a reading that shows it."""

    number: int
    reading: Reading


def gpu_counts(gpus: Readings) -> dict[str, Count]:
    """By node: as many as the tool says, else as it lists by number."""
    stated = latest_of(by_attribute(gpus, "gpu-count"))
    found = {r.host or "": Count(r.value, r) for r in stated if isinstance(r.value, int)}
    for node, parts in _listed(gpus.all).items():
        # A gap in the numbers (GPUs 0, 1 and 5) is a choice of GPUs or a cut text, and no count of the node.
        if node not in found and sorted(map(int, parts)) == list(range(len(parts))):
            found[node] = Count(len(parts), next(iter(parts.values())))
    return found


class Gap(NamedTuple):
    """Numbers that a node's list of GPUs leaves out, and a reading behind the first."""

    missing: tuple[int, ...]
    of: int
    """GPUs that there are by the highest number."""
    reading: Reading


def gaps(gpus: Readings) -> dict[str, Gap]:
    """By node: where a list with names or UUIDs counts from 0 and leaves out a few in between. More than half of those
    that are there are no few: that is a choice of GPUs."""
    found: dict[str, Gap] = {}
    for node, parts in _listed([*by_attribute(gpus, "gpu-name"), *by_attribute(gpus, "gpu-uuid")]).items():
        numbers = set(map(int, parts))
        missing = tuple(sorted(set(range(max(numbers))) - numbers)) if max(numbers) < _MOST else ()
        if missing and missing[0] > 0 and 2 * len(missing) < len(numbers):
            behind = min(number for number in numbers if number > missing[0])
            found[node] = Gap(missing, max(numbers) + 1, parts[str(behind)])
    return found


def _listed(readings: Iterable[Reading]) -> dict[str, dict[str, Reading]]:
    """Node -> number of a GPU -> a reading of it."""
    listed: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        if reading.part.kind == "gpu" and reading.part.name.isdecimal():
            listed.setdefault(reading.host or "", {})[reading.part.name] = reading
    return listed


def gpus_on_bus(gpus: Readings) -> Counter[str]:
    """Node -> GPUs of NVIDIA that lspci lists."""
    ours = {(r.host, r.part) for r in by_attribute(gpus, "pci-device") if "nvidia" in str(r.value).lower()}
    cards = {(r.host, r.part) for r in by_attribute(gpus, "pci-role") if r.value == "gpu"}
    return Counter(host or "" for host, _ in cards & ours)

"""A node has fewer GPUs than its peers, its PCI bus or its kind of node.

Why it matters: the job has fewer ranks than planned, or does not start; rings miss a GPU and its HCA.
How to confirm: ``nvidia-smi -L | wc -l`` and ``lspci -d 10de: | wc -l`` on this node and on another: a GPU that PCI
shows and the driver does not has failed to start; one that is gone from both fell off the bus.
What to do: ``dmesg | grep -e Xid -e NVRM``; drain the node; a cold reboot brings most GPUs back.
When it is wrong: a container, a job or MIG hands in a part of the GPUs, and nodes may differ by design. Fewer GPUs
shown than attached is a cut paste and no fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated

from slowlink.catalog.gpus import Gpu
from slowlink.facts.readings import by_attribute, name_of_node
from slowlink.model.facts import Hardware, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.gpu_phrases import JOINED, latest_of, models
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-missing",)

_BOARD = 8
"""GPUs of the usual baseboard with switches; 4 is the other size."""


def check(
    gpus: Annotated[Readings, Of("gpu-count", "gpu-name", "gpu-uuid", "pci-role", "pci-device")],
    hardware: Hardware | None,
) -> Iterator[Finding | Proof]:
    """Against the PCI bus, then peers, then what the user says that a node has, then the board."""
    counts = _counts(gpus)
    usual = _usual(counts)
    given = hardware.gpus_per_node if hardware is not None and hardware.given else None
    on_bus, kinds = _on_bus(gpus), models(gpus)
    low: dict[tuple[int, str], list[Reading]] = {}
    for node, (number, reading) in counts.items():
        expected = _expected(number, on_bus.get(node, 0), usual, given, kinds.kind(reading))
        if expected is not None:
            low.setdefault(expected, []).append(reading)
    for (there, why), readings in low.items():
        yield _finding(readings, there, why, {node: number for node, (number, _) in counts.items()})
    if not low and usual is not None:
        yield Proof(f"{len(counts)} nodes have {counted(usual, 'GPU')} each", weight=0)


def _expected(
    number: int, on_bus: int, usual: int | None, given: int | None, kind: Gpu | None
) -> tuple[int, str] | None:
    """(how many there should be, why), when there are fewer."""
    if number < on_bus:
        return on_bus, f"lspci shows {on_bus}, the driver does not start them all"
    if usual is not None and number < usual:
        return usual, f"most nodes have {usual}"
    if given is not None and number < given:
        return given, f"a node has {given} as told"
    if number == _BOARD - 1 and kind is not None and kind.fabric in JOINED and kind.vendor == "NVIDIA":
        return _BOARD, f"boards with {kind.title} carry 4 or {_BOARD}"
    return None


def _counts(gpus: Readings) -> dict[str, tuple[int, Reading]]:
    """By node: how many GPUs, as stated, else as listed with their numbers."""
    stated = {r.host or "": (r.value, r) for r in latest_of(by_attribute(gpus, "gpu-count"))}
    found = {node: (number, r) for node, (number, r) in stated.items() if isinstance(number, int)}
    listed: dict[str, dict[str, Reading]] = {}
    for reading in gpus.all:
        if reading.part.kind == "gpu" and reading.part.name.isdigit():
            listed.setdefault(reading.host or "", {})[reading.part.name] = reading
    for node, parts in listed.items():
        if node not in found and sorted(map(int, parts)) == list(range(len(parts))):
            found[node] = len(parts), next(iter(parts.values()))
    return found


def _on_bus(gpus: Readings) -> Counter[str]:
    """Node -> GPUs of NVIDIA that lspci lists."""
    ours = {(r.host, r.part) for r in by_attribute(gpus, "pci-device") if "nvidia" in str(r.value).lower()}
    cards = {(r.host, r.part) for r in by_attribute(gpus, "pci-role") if r.value == "gpu"}
    return Counter(host or "" for host, _ in cards & ours)


def _usual(counts: Mapping[str, tuple[int, Reading]]) -> int | None:
    """What more than half of at least three nodes have."""
    if len(counts) < 3:
        return None
    number, times = Counter(number for number, _ in counts.values()).most_common(1)[0]
    return number if 2 * times > len(counts) else None


def _finding(readings: list[Reading], expected: int, why: str, numbers: Mapping[str, int]) -> Finding:
    names = [name for reading in readings if (name := name_of_node(reading))]
    there = sorted({numbers[reading.host or ""] for reading in readings})
    have = f"{there[0]}" if len(there) == 1 else f"{there[0]} to {there[-1]}"
    return finding(
        "gpu-missing",
        f"{fold(names) + ': ' if names else ''}{have} of {expected} GPUs ({why})",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(readings, expected=str(expected)),
        suspects=suspects("node", names),
        remedy=[
            ("Count what the driver sees and what PCIe sees.", "nvidia-smi -L | wc -l; lspci -d 10de: | wc -l"),
            ("See why the driver lost it.", "dmesg -T | grep -e Xid -e NVRM"),
        ],
    )

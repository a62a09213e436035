"""A node has fewer GPUs than its peers, its PCI bus or its kind of node.

The GPUs that the driver shows are compared with four numbers, in this order: NVIDIA devices on the PCI bus; what more
than half of at least three nodes have; what the user says that a node has; eight, where seven are shown of a model
that comes on boards of four or eight. Seven of a model that nobody names are a warning: hardly a node is built so.
So is a list that leaves out a number in between: GPU 0, 1, 2 and 4 to 7.

Why it matters: the job has fewer ranks than planned, or does not start; rings miss a GPU and its HCA.
How to confirm: ``nvidia-smi -L | wc -l`` and ``lspci -d 10de: | wc -l`` on this node and on another: a GPU that PCI
shows and the driver does not has failed to start; one that is gone from both fell off the bus.
What to do: ``dmesg | grep -e Xid -e NVRM``; drain the node; a cold reboot brings most GPUs back.
When it is wrong: a container, a job or MIG may get only some of the GPUs, and nodes may differ by design. Where the
output lists fewer GPUs than it says are attached, it was cut when pasted; that is no fault. Who asked for some GPUs
(``-i 0,2``) gets a list with gaps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

from slowlink.catalog.gpus import Gpu
from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Hardware, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.gpu_phrases import JOINED, models
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu.gpu_counts import Count, Gap, gaps, gpu_counts, gpus_on_bus
from slowlink.rules.gpu.remedies import COUNT_GPUS

CAUSES = ("gpu-missing",)
DENIES = ("gpu-missing",)

_BOARD = 8
"""GPUs of the usual baseboard with switches; 4 is the other size."""


class Expected(NamedTuple):
    """How many GPUs there should be, and why."""

    number: int
    why: str
    guessed: bool = False
    """Is only their number odd?"""


def check(
    gpus: Annotated[Readings, Of("gpu-count", "gpu-name", "gpu-uuid", "pci-role", "pci-device")],
    hardware: Hardware | None,
) -> Iterator[Finding | Proof]:
    """Against the PCI bus, then peers, then what the user says that a node has, then the board."""
    counts = gpu_counts(gpus)
    usual = _usual(counts)
    given = hardware.gpus_per_node if hardware is not None and hardware.given else None
    on_bus, kinds = gpus_on_bus(gpus), models(gpus)
    low: dict[Expected, list[Reading]] = {}
    for node, count in counts.items():
        expected = _expected(count.number, on_bus.get(node, 0), usual, given, kinds.kind(count.reading))
        if expected is not None:
            low.setdefault(expected, []).append(count.reading)
    for expected, readings in low.items():
        yield _finding(readings, expected, counts)
    left_out = {node: gap for node, gap in gaps(gpus).items() if node not in counts}
    yield from map(_gap, left_out.values())
    if not low and not left_out and usual is not None:
        yield Proof(f"{len(counts)} nodes have {counted(usual, 'GPU')} each", weight=0)


def _expected(number: int, on_bus: int, usual: int | None, given: int | None, kind: Gpu | None) -> Expected | None:
    """None when there are enough."""
    if number < on_bus:
        return Expected(on_bus, f"lspci shows {on_bus}, the driver does not start them all")
    if usual is not None and number < usual:
        return Expected(usual, f"most nodes have {usual}")
    if given is not None and number < given:
        return Expected(given, f"a node should have {given}, as stated")
    if number == _BOARD - 1 and kind is not None and kind.fabric in JOINED and kind.vendor == "NVIDIA":
        return Expected(_BOARD, f"boards with {kind.title} carry 4 or {_BOARD}")
    if number == _BOARD - 1 and kind is None and given is None and usual is None:
        return Expected(_BOARD, f"hardly a node is built with {number}", guessed=True)
    return None


def _usual(counts: Mapping[str, Count]) -> int | None:
    """What more than half of at least three nodes have; of two that differ, neither is usual."""
    if len(counts) < 3:
        return None
    number, times = Counter(count.number for count in counts.values()).most_common(1)[0]
    return number if 2 * times > len(counts) else None


def _gap(gap: Gap) -> Finding:
    where = name_of_node(gap.reading)
    which = listed([f"GPU {number}" for number in gap.missing])
    one = len(gap.missing) == 1
    lacks = f"one: {which} is gone, or was" if one else f"{len(gap.missing)}: {which} are gone, or were"
    return finding(
        "gpu-missing",
        f"{f'{where}: ' if where else ''}the list of {gap.of} GPUs lacks {lacks} not asked for",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence([gap.reading], expected=f"GPU {gap.missing[0]} before it"),
        suspects=suspects("node", [where]),
        remedy=[COUNT_GPUS, ("See why the driver lost it.", "dmesg -T | grep -e Xid -e NVRM")],
    )


def _finding(readings: list[Reading], expected: Expected, counts: Mapping[str, Count]) -> Finding:
    names = [name for reading in readings if (name := name_of_node(reading))]
    there = sorted({counts[reading.host or ""].number for reading in readings})
    have = f"{there[0]}" if len(there) == 1 else f"{there[0]} to {there[-1]}"
    return finding(
        "gpu-missing",
        f"{fold(names) + ': ' if names else ''}{have} of {expected.number} GPUs ({expected.why})",
        severity="warning" if expected.guessed else "error",
        confidence="possible" if expected.guessed else "likely",
        evidence=reading_evidence(readings, expected=str(expected.number)),
        suspects=suspects("node", names),
        remedy=[
            COUNT_GPUS,
            ("See why the driver lost it.", "dmesg -T | grep -e Xid -e NVRM"),
        ],
    )

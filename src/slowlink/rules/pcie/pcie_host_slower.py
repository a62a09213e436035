"""The port above a GPU can do less than the GPU itself.

The driver tells both: what the GPU can do, and what the port above it (``Host Max``) can. An older one tells only what
both can do; then it is held against the model, where that comes on a board. A link never goes faster than
the slower of its ends, and every tool then calls it full. Where the other GPUs of the node have a faster port, or the
GPU comes on a board (SXM, OAM) whose machines are built for its speed, the port is held back; a card in an older
machine is so by design, and is only noted.

Why it matters: each generation less halves what the GPU can send to HCAs, to the host and to GPUs without NVLink.
How to confirm: ``nvidia-smi -q | grep -A7 'PCIe Generation'`` on this node and on a like one; ``LnkCap`` of the port
above it (``lspci -vv``).
What to do: take a forced generation out of the firmware's settings, or move the card to a faster slot; update a retimer
or riser that allows no more.
When it is wrong: the machine is older than its GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest, node_of, without
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import Models, gpu_suspects, gpus_at, models
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("pcie-link-degraded",)

_ON_BOARDS = ("nvswitch", "mesh")
"""Fabrics of GPUs that come soldered to a board: their machines are built for them."""
_SPEEDS = {3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
"""Generation of PCIe -> GT/s (PCI Express Base Specification)."""


def check(
    ports: Annotated[Readings, Of("pcie-speed-host", "pcie-speed-device", "pcie-speed-max")],
    names: Annotated[Readings, Of("gpu-name")] | None,
) -> Iterator[Finding]:
    """One finding for ports that are surely built for more, one for those of cards."""
    known = models(names)
    gives = dict(latest(by_attribute(ports, "pcie-speed-host")))
    for where, both in latest(by_attribute(ports, "pcie-speed-max")).items():
        if both.part.kind == "gpu":
            gives.setdefault(where, both)
    own = {where: _speed(r) for where, r in latest(by_attribute(ports, "pcie-speed-device")).items()}
    can = {where: own.get(where) or _of_model(r, known) for where, r in gives.items()}
    slow = [r for where, r in gives.items() if 0 < _speed(r) < can[where]]
    if not slow:
        return
    fast = {_like(r, known) for r in without(gives.values(), slow)}
    held = [r for r in slow if _like(r, known) in fast or _is_on_board(r, known)]
    for group, sure in ((held, True), (without(slow, held), False)):
        speeds = {r: can[node_of(r), r.part] for r in group}
        for speed in sorted(set(speeds.values())):
            yield _finding([r for r in group if speeds[r] == speed], speed, sure=sure)


def _of_model(reading: Reading, known: Models) -> float:
    """GT/s that a GPU of its model can do, where it came on a board; 0 where nobody knows."""
    kind = known.kind(reading)
    return _SPEEDS.get(kind.pcie_gen or 0, 0.0) if kind is not None and kind.fabric in _ON_BOARDS else 0.0


def _like(reading: Reading, known: Models) -> tuple[str | None, str]:
    """The node and the model of a GPU: what are alike in both have like ports."""
    return reading.host, known.names.get(reading.host, {}).get(reading.part.name, "")


def _is_on_board(reading: Reading, known: Models) -> bool:
    kind = known.kind(reading)
    return kind is not None and kind.fabric in _ON_BOARDS


def _speed(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _finding(found: Sequence[Reading], speed: float, *, sure: bool) -> Finding:
    least = min(map(_speed, found))
    design = "" if sure else ": the machine may be older than its GPUs"
    return finding(
        "pcie-link-degraded",
        f"{gpus_at(found)}: the port above can do {least:g} GT/s at most, the GPU itself {speed:g}{design}",
        severity="warning" if sure else "info",
        confidence="possible",
        evidence=reading_evidence(found, expected=f"{speed:g} GT/s"),
        suspects=gpu_suspects(found),
        explains=("busbw-below-expected", "straggler-gpu") if sure else (),
        remedy=[
            ("Compare both ends with those of a like node.", "nvidia-smi -q | grep -A7 'PCIe Generation'"),
            ("Look for a forced generation in the firmware's settings of the slot.", ""),
        ],
        references=[NVIDIA_SMI],
    )

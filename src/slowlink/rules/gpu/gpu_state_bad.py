"""A GPU's own tool calls it unavailable or ill.

``mx-smi`` says for each GPU whether it is available, ``npu-smi`` says how healthy each chip is: OK, Warning, Alarm,
Critical or UNKNOWN.

Why it matters: a job on this GPU fails or hangs, and all its peers wait.
How to confirm: the tool's own details of the device (``npu-smi info -t health -i N``), and the kernel log.
What to do: drain the node, reset the device or reboot the node; a fault that comes again is a case for the vendor.
When it is wrong: a device that another tool has reserved or that is being reset is not available for a moment. A
warning is no fault yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.messages import LOST_PEER
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-hardware-fault",)

_SOUND = ("available", "ok", "healthy", "normal")
_MILD = ("warning", "unknown")


def check(states: Annotated[Readings, Of("gpu-state")]) -> Iterator[Finding]:
    """One finding for each state that is not sound."""
    by_state: dict[str, list[Reading]] = {}
    for reading in latest_of(states.all):
        if str(reading.value).lower() not in _SOUND:
            by_state.setdefault(str(reading.value), []).append(reading)
    for state, found in by_state.items():
        mild = state.lower() in _MILD
        yield finding(
            "gpu-hardware-fault",
            f"{gpus_at(found)}: {state}, says the GPU's own tool",
            severity="warning" if mild else "error",
            confidence="possible" if mild else "likely",
            evidence=reading_evidence(found, expected="Available or OK"),
            suspects=gpu_suspects(found),
            explains=() if mild else ("rank-lost", *LOST_PEER),
            remedy=[
                ("See what the kernel says of it.", "dmesg -T | tail -100"),
                ("Drain the node, and reset the device or reboot.", ""),
            ],
        )

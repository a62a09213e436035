"""XNACK is on at some AMD GPUs of a node and off at others.

With XNACK a GPU goes on after a page fault. It is set for all GPUs of a node alike (``HSA_XNACK``, the driver's
``noretry``), and programs are compiled for one of both, or for either at some cost.

Why it matters: code compiled for the other setting does not start on that GPU, or a slower form of it is taken: the
collective waits for this GPU.
How to confirm: ``rocminfo | grep xnack``; it names each GPU's instruction set.
What to do: give all ranks the same ``HSA_XNACK``; see the driver's ``noretry`` in /sys/module/amdgpu/parameters.
When it is wrong: GPUs of two generations in one node; older ones have no choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import by_attribute, by_node, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("node-differs",)

_ON = {True: "on", False: "off"}


def check(state: Annotated[Readings, Of("gpu-xnack")]) -> Iterator[Finding]:
    """One finding for the GPUs that are fewer, of all nodes that have both."""
    found = []
    for readings in by_node(latest_of(by_attribute(state, "gpu-xnack"))).values():
        on = [r for r in readings if r.value is True]
        off = [r for r in readings if r.value is False]
        found += on if len(on) < len(off) else off if on else []
    if found:
        yield finding(
            "node-differs",
            f"{gpus_at(found)}: XNACK is {_ON[bool(found[0].value)]}, unlike at the other GPUs of the node",
            severity="warning",
            confidence="certain",
            evidence=reading_evidence(found, expected="as its peers"),
            suspects=gpu_suspects(found),
            explains=("straggler-gpu",),
            remedy=[
                (
                    "Compare the GPUs, and what sets it.",
                    "rocminfo | grep xnack; cat /sys/module/amdgpu/parameters/noretry",
                )
            ],
        )

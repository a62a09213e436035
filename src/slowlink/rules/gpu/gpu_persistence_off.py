"""Persistence mode is off.

Without it the driver unloads its state when the last process leaves a GPU.

Why it matters: every job waits some seconds per GPU at its start, locked clocks and power limits are lost between jobs,
and ``dcgmi diag`` fails its software test for this alone.
How to confirm: ``nvidia-smi -q | grep Persistence`` shows Disabled.
What to do: run NVIDIA's daemon at boot, or switch it on by hand.
When it is wrong: it costs no bandwidth while a job runs; where nodes boot for every job it hardly matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at, latest_of, number_of_gpus
from slowlink.rules.evidence.links_to_docs import PERSISTENCE
from slowlink.rules.evidence.node_readings import by_prepare, reading_evidence

CAUSES = ("gpu-persistence-off",)


def check(settings: Annotated[Readings, Of("gpu-persistence")]) -> Iterator[Finding | Proof]:
    """One finding for all GPUs."""
    now = latest_of(settings.all)
    off = [reading for reading in now if reading.value is False]
    if not off:
        yield Proof(f"{number_of_gpus(now)}: persistence mode is on", reading_evidence(now, most=1), weight=0)
        return
    yield finding(
        "gpu-persistence-off",
        f"{gpus_at(off)}: persistence mode is off, so that the driver unloads its state between jobs",
        severity="warning",
        confidence="certain",
        evidence=reading_evidence(off, expected="on"),
        suspects=gpu_suspects(off),
        remedy=[
            ("Run NVIDIA's daemon at boot.", "systemctl enable --now nvidia-persistenced"),
            ("Or switch it on until the next boot.", "nvidia-smi -pm 1"),
            by_prepare("persistence", off),
        ],
        references=[PERSISTENCE],
    )

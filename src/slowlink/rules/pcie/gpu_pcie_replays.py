"""A GPU's PCIe link sends packets again.

The counter runs since the last reset and grows by a few when a link trains, so only growth between two readings counts.
A link that replays steadily under load has bad signals.

Why it matters: replays cost bandwidth between GPU, host and HCA; later such a link falls to fewer lanes.
How to confirm: ``nvidia-smi -q | grep Replay`` twice, under load; ``dmesg | grep AER`` names the device.
What to do: reseat the GPU or its riser, look at the slot's retimers and firmware; move the job away if the count keeps
growing.
When it is wrong: a reset or a change of the link's speed between the two readings adds a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import growth
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import DCGM_DIAGNOSTICS
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("pcie-errors",)


class Params(Struct, frozen=True):
    """Which growth is normal. NVIDIA publishes no count; DCGM has a rate of its own for each chip."""

    few: int = 10
    """Replays of one GPU between two readings that are not reported: one training of the link adds as many."""
    many: int = 1_000
    """From here on no training explains them: the link's signals are bad."""


def check(replays: Annotated[Readings, Of("gpu-pcie-replays")], params: Params) -> Iterator[Finding]:
    """One finding for all GPUs. Replays alone do not show what they cost: only many are more than a warning."""
    grown = [each for each in growth(replays.all) if each.by > params.few]
    if not grown:
        return
    last = [each.last for each in grown]
    most = max(each.by for each in grown)
    yield finding(
        "pcie-errors",
        f"{gpus_at(last)}: the PCIe link sent packets again {most} times between two readings",
        severity="error" if most >= params.many else "warning",
        confidence="likely",
        evidence=reading_evidence(last),
        suspects=gpu_suspects(last),
        remedy=[
            (
                "Read it again under load, with the kernel's PCIe errors.",
                "nvidia-smi -q | grep Replay; dmesg | grep AER",
            )
        ],
        references=[DCGM_DIAGNOSTICS],
    )

"""One GPU of a node does nothing while all others are fully busy.

A job that spans a node uses all of its GPUs. Where one idles and the rest are at their limit, its rank died, hangs on
the host or was never started; its peers may only wait for it in a collective, which counts as full utilisation.

Why it matters: collectives do not end before their last rank; the others burn power and wait.
How to confirm: ``nvidia-smi pmon -c 1`` on the node: is there a process on that GPU? ``py-spy dump --pid PID`` of it.
What to do: see what became of its rank: the end of its log, ``dmesg -T | grep -e Xid -e oom``.
When it is wrong: somebody gave the job all GPUs but one. Utilisation is a mean over up to a second, so the GPU may
have been idle just then; take a second look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, by_node, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("straggler-gpu",)


class Params(Struct, frozen=True):
    """When a GPU idles, and when its peers do not."""

    idle_percent: float = 5.0
    """Utilisation in % up to which a GPU counts as idle; displays and monitors cause a few per cent."""
    busy_percent: float = 90.0
    """Utilisation in % from which a GPU counts as loaded."""
    fewest_peers: int = 3
    """Busy GPUs of the node; of two or three GPUs one may well be left to somebody else."""


def check(use: Annotated[Readings, Of("gpu-utilisation")], params: Params) -> Iterator[Finding]:
    """One finding for all nodes; always a warning."""
    alone = [
        idle
        for node in by_node(latest_of(by_attribute(use, "gpu-utilisation"))).values()
        if (idle := _alone(node, params)) is not None
    ]
    if not alone:
        return
    peers = f"all other GPUs of {'its node' if len(alone) == 1 else 'their nodes'}"
    yield finding(
        "straggler-gpu",
        f"{gpus_at(alone)}: {max(map(_percent, alone)):.0f} % busy where {peers} are at their limit: "
        f"{counted(len(alone), 'rank')} may be gone or stand still",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(alone, expected=f"at least {params.busy_percent:g} %, as its peers"),
        suspects=gpu_suspects(alone),
        remedy=[
            ("See whether a process is on it.", "nvidia-smi pmon -c 1"),
            ("See how its rank ended.", "dmesg -T | grep -e Xid -e NVRM -e oom"),
        ],
        references=[NVIDIA_SMI],
    )


def _alone(node: list[Reading], params: Params) -> Reading | None:
    """The one GPU of a node that idles; None where several do, or not all others are busy."""
    idle = [reading for reading in node if _percent(reading) <= params.idle_percent]
    busy = [reading for reading in node if _percent(reading) >= params.busy_percent]
    return idle[0] if len(idle) == 1 and len(busy) >= params.fewest_peers and len(busy) + 1 == len(node) else None


def _percent(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0

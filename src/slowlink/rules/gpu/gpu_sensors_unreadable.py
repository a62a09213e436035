"""The driver gets no answer from a GPU's sensors.

``nvidia-smi`` prints ``ERR!`` where temperature, performance state, power and utilisation should be. The GPU is still
listed, but does not answer: it fell off the bus, its firmware hangs, or its power supply failed. A single ``ERR!``, of
a fan or a power meter, is only that sensor and is not reported here.

Why it matters: a job on this GPU fails or hangs, and all its peers wait.
How to confirm: ``dmesg -T | grep -e Xid -e NVRM``: 79 is a lost GPU, 119 and 120 are its firmware, 62 is its power
management; ``nvidia-smi -q -i N``.
What to do: drain the node, reboot it with power off in between, test with ``dcgmi diag -r 3``.
When it is wrong: the table was printed while the driver was being unloaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-driver-hung",)


def check(sensors: Annotated[Readings, Of("gpu-sensors-unreadable")]) -> Iterator[Finding]:
    """One finding for all GPUs."""
    found = [reading for reading in latest_of(sensors.all) if reading.value is True]
    if not found:
        return
    yield finding(
        "gpu-driver-hung",
        f"{gpus_at(found)}: most sensors read as error (ERR!): the GPU does not answer its driver, or is lost",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(found, expected="values"),
        suspects=gpu_suspects(found),
        explains=("gpu-application-fault", "rank-lost", *LOST_PEER),
        remedy=[
            ("See which error it was.", "dmesg -T | grep -e Xid -e NVRM"),
            ("Drain the node and reboot it with power off in between.", ""),
        ],
        references=[XID],
    )

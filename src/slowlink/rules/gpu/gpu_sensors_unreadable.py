"""The driver gets no answer from a GPU's sensors, or from one of them.

``nvidia-smi`` prints ``ERR!`` where temperature, performance state, power and utilisation should be. The GPU is still
listed, but does not answer: it fell off the bus, its firmware hangs, or its power supply failed. A single ``ERR!``, of
a fan or a power meter, may be only that sensor; but what it watches is not known then, and it is a warning.

Why it matters: a job on this GPU fails or hangs, and all its peers wait.
How to confirm: ``dmesg -T | grep -e Xid -e NVRM``: 79 is a lost GPU, 119 and 120 are its firmware, 62 is its power
management; ``nvidia-smi -q -i N``.
What to do: drain the node, reboot it with power off in between, test with ``dcgmi diag -r 3``.
When it is wrong: the table was printed while the driver was being unloaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, listed
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-driver-hung", "gpu-hardware-fault")


def check(sensors: Annotated[Readings, Of("gpu-sensors-unreadable", "gpu-sensors-failed")]) -> Iterator[Finding]:
    """One finding for all GPUs that do not answer, one for those of which single sensors do not."""
    silent = [r for r in latest_of(by_attribute(sensors, "gpu-sensors-unreadable")) if r.value is True]
    failed = latest_of(by_attribute(sensors, "gpu-sensors-failed"))
    if silent:
        yield _silent(silent)
    if failed:
        yield _failed(failed)


def _failed(found: Sequence[Reading]) -> Finding:
    which = listed(list(dict.fromkeys(name for reading in found for name in str(reading.value).split(", "))))
    return finding(
        "gpu-hardware-fault",
        f"{gpus_at(found)}: no value of {which} (ERR!): the sensor, or what it watches, failed",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(found, expected="values"),
        suspects=gpu_suspects(found),
        remedy=[
            ("Read it again, and see whether clocks are held down under load.", "nvidia-smi -q -d POWER,PERFORMANCE"),
            ("See what the driver and the BMC say of it.", "dmesg -T | grep -e Xid -e NVRM; ipmitool sel list"),
        ],
        references=[XID],
    )


def _silent(found: Sequence[Reading]) -> Finding:
    return finding(
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

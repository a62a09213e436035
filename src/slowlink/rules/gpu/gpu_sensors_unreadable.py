"""The driver gets no answer from a GPU's sensors, or from one of them.

``nvidia-smi`` prints ``ERR!`` where temperature, performance state, power and utilisation should be. The GPU is still
listed, but does not answer: it fell off the bus, its firmware hangs, or its power supply failed. A single ``ERR!``, of
a fan or a power meter, may be only that sensor; but what it watches is not known then, and it is a warning. So is a GPU
without a temperature, a power or a count of memory errors (``N/A``) among others of its node that have one.

Why it matters: a job on this GPU fails or hangs, and all its peers wait.
How to confirm: ``dmesg -T | grep -e Xid -e NVRM``: 79 is a lost GPU, 119 and 120 are its firmware, 62 is its power
management; ``nvidia-smi -q -i N``.
What to do: drain the node, reboot it with power off in between, test with ``dcgmi diag -r 3``.
When it is wrong: the table was printed while the driver was being unloaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, by_node, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, listed
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-driver-hung", "gpu-hardware-fault")


_USE = "gpu-utilisation"
_WATCHED = {
    "gpu-temperature": "temperature",
    "gpu-power": "power",
    "gpu-gsp-firmware": "firmware of its system processor (GSP)",
    "gpu-ecc-volatile-uncorrectable": "count of memory errors",
}
_FEWEST_PEERS = 3
"""GPUs of the node with a temperature, without which nobody knows whether this tool prints any."""


def check(
    sensors: Annotated[Readings, Of("gpu-sensors-unreadable", "gpu-sensors-failed", *_WATCHED, _USE)],
) -> Iterator[Finding]:
    """One finding for all GPUs that do not answer, one for those of which single sensors do not, one for those without
    a temperature."""
    silent = [r for r in latest_of(by_attribute(sensors, "gpu-sensors-unreadable")) if r.value is True]
    failed = latest_of(by_attribute(sensors, "gpu-sensors-failed"))
    if silent:
        yield _silent(silent)
    if failed:
        yield _failed(failed)
    told = {(r.host, r.part) for r in (*silent, *failed)}
    for name, words in _WATCHED.items():
        mute = [r for r in _without(sensors, name) if (r.host, r.part) not in told]
        told |= {(r.host, r.part) for r in mute}
        if mute:
            yield _mute(mute, words)


def _without(sensors: Readings, name: str) -> list[Reading]:
    """What else was read of the one GPU of a node that lacks what all others have."""
    heat = by_node(latest_of(by_attribute(sensors, name)))
    found = []
    for node, readings in by_node(latest_of(by_attribute(sensors, _USE))).items():
        warm = {r.part for r in heat.get(node, [])}
        without = [r for r in readings if r.part not in warm]
        if len(without) == 1 and len(warm) >= _FEWEST_PEERS:
            found += without
    return found


def _mute(found: Sequence[Reading], words: str) -> Finding:
    return finding(
        "gpu-hardware-fault",
        f"{gpus_at(found)}: no {words}, where all other GPUs of its node have one: it may not answer",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(found, expected=f"{words} beside it"),
        suspects=gpu_suspects(found),
        remedy=[("See what the kernel says of it.", "dmesg -T | grep -e Xid -e NVRM -e amdgpu")],
    )


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

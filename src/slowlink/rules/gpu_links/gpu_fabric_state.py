"""GPUs of an NVSwitch machine are not in its NVLink fabric.

From Hopper on, every GPU says whether the fabric manager registered it: ``Completed`` with status ``Success``. Anything
else on a board with switches means that CUDA fails with error 802 or NVLink is not used; on a GPU whose model is not
known it is only a warning. ``N/A`` is what GPUs without such a fabric say, and is no fault. A fabric that is registered
but ``Unhealthy``, ``Degraded`` or of limited capacity has lost links.

Why it matters: no collective can use these GPUs, or they communicate over PCIe.
How to confirm: ``nvidia-smi -q | grep -A 2 Fabric``; ``systemctl status nvidia-fabricmanager``.
What to do: install the fabric manager in exactly the driver's version and start it at boot; look at its log. In a
virtual machine the host runs it.
When it is wrong: "In Progress" is normal for some seconds after boot, and on one GPU of a board that is used alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import Models, gpu_suspects, gpus_at, models, number_of_gpus
from slowlink.rules.evidence.links_to_docs import FABRIC_MANAGER
from slowlink.rules.evidence.messages import FAILED_RUN
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu_links.remedies import START_FABRIC_MANAGER

CAUSES = ("fabric-manager-down", "nvlink-fabric-unhealthy")

_WAITING = frozenset({"Not Started", "In Progress"})
"""States of ``nvmlGpuFabricInfo_t`` before ``Completed``. Any other word is not a state: a cut or torn line."""
_SICK = frozenset({"Unhealthy", "Limited Capacity", "Degraded"})
"""Values of ``Health`` and ``Bandwidth`` that mean lost links."""


def check(
    fabric: Annotated[
        Readings, Of("gpu-fabric-state", "gpu-fabric-status", "gpu-fabric-health", "gpu-fabric-bandwidth")
    ],
    names: Annotated[Readings, Of("gpu-name")] | None,
) -> Iterator[Finding | Proof]:
    """States that are not completed, registrations that failed, and fabrics that are not whole."""
    known = models(names)
    states = latest_of(by_attribute(fabric, "gpu-fabric-state"))
    waiting = [r for r in states if str(r.value) in _WAITING]
    # A status that was cut off ("Succ") is no failure.
    failed = [r for r in latest_of(by_attribute(fabric, "gpu-fabric-status")) if not "Success".startswith(str(r.value))]
    sick = [r for name in ("gpu-fabric-health", "gpu-fabric-bandwidth") for r in _sick(fabric, name)]
    known_sick = {(r.host, r.part) for r in sick}  # set up, and not whole: the status says it once more
    failed = [r for r in failed if (r.host, r.part) not in known_sick]
    switched = [r for r in (*waiting, *failed) if _has_switches(r, known)]
    if switched:
        yield _down(switched, "critical" if waiting else "error")
    elif waiting or failed:
        yield _down(waiting or failed, "warning")
    if sick:
        yield finding(
            "nvlink-fabric-unhealthy",
            f"{gpus_at(sick)}: the NVLink fabric is not whole ({str(sick[0].value).lower()})",
            severity="error",
            confidence="likely",
            evidence=reading_evidence(sick, expected="Healthy, Full"),
            suspects=gpu_suspects(sick),
            explains=("nvlink-down", "nvls-unavailable", "busbw-below-expected"),
            remedy=[
                ("Read the links and the fabric manager's log.", "nvidia-smi nvlink --status; nvidia-smi -q -d FABRIC")
            ],
            references=[FABRIC_MANAGER],
        )
    if not (waiting or failed or sick) and (said := sound(fabric)) is not None:
        yield Proof(said, reading_evidence(states, most=1), weight=0)


def sound(fabric: Readings) -> str | None:
    """``8 GPUs: NVLink fabric set up``; None when there is none, or when it is not completed."""
    states = latest_of(by_attribute(fabric, "gpu-fabric-state"))
    if not states or any(reading.value != "Completed" for reading in states):
        return None
    return f"{number_of_gpus(states)}: the NVLink fabric is set up"


def _has_switches(reading: Reading, known: Models) -> bool:
    kind = known.kind(reading)
    return kind is not None and kind.fabric == "nvswitch"


def _sick(fabric: Readings, name: str) -> list[Reading]:
    return [reading for reading in latest_of(by_attribute(fabric, name)) if str(reading.value) in _SICK]


def _down(readings: Sequence[Reading], severity: Severity) -> Finding:
    says = " and ".join(dict.fromkeys(f"{reading.value}" for reading in readings))
    grave = severity != "warning"
    return finding(
        "fabric-manager-down",
        f"{gpus_at(readings)}: the NVLink fabric is not set up ({says}): no fabric manager that fits the driver, or "
        "one that has not finished",
        severity=severity,
        confidence="possible" if severity == "warning" else "likely",
        evidence=reading_evidence(readings, expected="Completed, Success"),
        suspects=gpu_suspects(readings),
        explains=("nvls-unavailable", *FAILED_RUN) if grave else (),
        remedy=START_FABRIC_MANAGER,
        references=[FABRIC_MANAGER],
    )

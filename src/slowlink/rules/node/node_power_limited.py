"""A machine takes as much power as its controller allows.

The controller (BMC) of a machine can be told to keep it below a number of watts; at that limit it slows processors
down and pulls the power brake of the GPUs. ``ipmitool dcmi power get_limit`` and Redfish show the limit, and
``ipmitool dcmi power reading`` what the machine takes.

Why it matters: clocks fall where the load is highest, in the middle of a job; the node makes all others wait.
How to confirm: ``nvidia-smi -q -d PERFORMANCE`` and ``turbostat`` under load; read the power again while the job runs.
What to do: raise or switch off the limit (``ipmitool dcmi power deactivate``), or take the node out of the job.
When it is wrong: one reading may be a peak, and machines with a limit on purpose run below it most of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest, value_of
from slowlink.model.facts import Of, Readings, State
from slowlink.model.report import Finding
from slowlink.model.state import Part
from slowlink.rules.evidence.findings import Step, finding
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("power-brake",)

_NODE = Part("node")
_REMEDY = (
    Step("See whether clocks are held down now.", "nvidia-smi -q -d PERFORMANCE; turbostat --interval 5"),
    Step("Read power and limit again under load.", "ipmitool dcmi power reading; ipmitool dcmi power get_limit"),
)


class Params(Struct, frozen=True):
    """When a machine is at its limit."""

    share: float = 0.97
    """Of the limit that it takes."""


def check(
    powers: Annotated[Readings, Of("node-power")],
    limits: Annotated[Readings, Of("node-power-limit")],
    state: State | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for each machine at its limit."""
    taken = {reading.host: reading for reading in latest(powers.all).values()}
    for limit in latest(limits.all).values():
        power = taken.get(limit.host)
        active = value_of(state, "node-power-limit-active", limit.host or "", _NODE) if state is not None else None
        off = active is not None and active.value is False
        if power is None or off or float(power.value) < params.share * float(limit.value):
            continue
        yield finding(
            "power-brake",
            f"{on_nodes([limit])}the machine takes {float(power.value):g} W, and may take {float(limit.value):g} W",
            severity="warning",
            confidence="likely",
            evidence=reading_evidence([power, limit]),
            suspects=node_suspects([limit]),
            explains=("gpu-clocks-throttled", "cpu-clocks-low", "straggler-node"),
            remedy=_REMEDY,
        )

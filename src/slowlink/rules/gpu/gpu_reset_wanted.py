"""The driver asks for a reset of a GPU.

``GPU Recovery Action`` or ``Reset Required`` of nvidia-smi say that the GPU cannot go on as it is. Two things lead to
this: a fatal error of the GPU (an Xid; its processes are gone or hang), or memory whose repair waits for the reset. The
kernel log shows which. GPUs whose memory waits for a repair are left to gpu-memory-state.

Why it matters: new work on this GPU fails or hangs, and with it the job.
How to confirm: ``dmesg -T | grep Xid``; ``nvidia-smi -q -d ECC,ROW_REMAPPER`` shows whether a repair is pending.
What to do: drain the node, do what the action says (reset, reboot, drain peer-to-peer), test with ``dcgmi diag -r 3``.
When it is wrong: never; after the reset the driver no longer asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, listed
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("gpu-driver-hung",)

_PENDING = ("gpu-remap-pending", "gpu-retirement-pending", "gpu-remap-failed")


def check(
    asked: Annotated[Readings, Of("gpu-recovery-action", "gpu-reset-required")],
    memory: Annotated[Readings, Of("gpu-remap-pending", "gpu-retirement-pending", "gpu-remap-failed")] | None,
) -> Iterator[Finding]:
    """GPUs whose reset no pending repair of memory explains."""
    actions = [r for r in latest_of(by_attribute(asked, "gpu-recovery-action")) if r.value != "None"]
    required = [r for r in latest_of(by_attribute(asked, "gpu-reset-required")) if r.value is True]
    repairs = [r for name in _PENDING for r in latest_of(by_attribute(memory, name))] if memory is not None else []
    explained = {(r.host, r.part) for r in repairs if r.value is True}
    open_actions = [r for r in actions if (r.host, r.part) not in explained]
    found = [*open_actions, *(r for r in required if (r.host, r.part) not in explained)]
    if not found:
        return
    wanted = listed(list(dict.fromkeys(str(r.value).lower() for r in open_actions))) or "a reset"
    yield finding(
        "gpu-driver-hung",
        f"{gpus_at(found)}: the driver asks for {wanted}: after a fatal error of the GPU, or for memory to be repaired",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(found, expected="None, No"),
        suspects=gpu_suspects(found),
        explains=("gpu-application-fault", "rank-lost", *LOST_PEER),
        remedy=[
            ("See which error it was.", "dmesg -T | grep -e Xid -e NVRM; nvidia-smi -q -d ECC,ROW_REMAPPER"),
            ("Drain the node and reset the GPU.", "nvidia-smi --gpu-reset -i N && dcgmi diag -r 3"),
        ],
        references=[XID],
    )

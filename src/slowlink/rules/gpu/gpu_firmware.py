"""Whether GPUs are missing because their firmware did not start, or their firmware stopped because they were lost."""

from __future__ import annotations

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.rules.evidence.messages import happened
from slowlink.rules.evidence.xid_messages import LOST, xids

INIT_FAILED = "kernel-gpu-init-failed"
_NOT_STARTED = "nvrm-firmware-not-started"


def firmware_not_started(events: Events | None) -> tuple[JobEvent, ...]:
    """The driver's words about firmware that did not start, where it gave up a GPU for that. A GPU that fell off the
    bus has no firmware that could answer: there the loss is the cause."""
    if xids(events, LOST) or happened(events, "kernel-gpu-lost") or not happened(events, INIT_FAILED):
        return ()
    return happened(events, _NOT_STARTED)

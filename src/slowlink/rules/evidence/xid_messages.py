"""Xid errors of NVIDIA's driver in the kernel log, by what they blame.

The numbers stand in ``catalog/driver_errors/xids.toml``.

Source: NVIDIA, "XID Errors" (docs.nvidia.com/deploy/xid-errors).
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.catalog.driver_errors.numbers import advised, xids_of
from slowlink.catalog.driver_errors.numbers import xids as catalogue
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Severity
from slowlink.rules.evidence.findings import Step
from slowlink.rules.evidence.messages import device_of, happened

APPLICATION, MEMORY, HUNG, LOST, NVLINK = (
    "gpu-application-fault",
    "gpu-memory-errors",
    "gpu-driver-hung",
    "gpu-missing",
    "nvlink-down",
)
"""Causes with Xids of their own; the catalogue says which number means which."""
HARDWARE = (LOST, HUNG, MEMORY, NVLINK, "gpu-hardware-fault")
"""Those that blame the GPU or its board, not a program."""
_HARMLESS = "BER_EVENT"
"""What an Xid 149 may report that needs no action, by NVIDIA's catalogue."""


def xids(events: Events | None, *causes: str) -> tuple[JobEvent, ...]:
    """Xid events that mean one of these causes, harmless ones left out."""
    wanted = {str(number) for cause in causes for number in xids_of(cause)}
    logged = (event for event in happened(events, "kernel-xid") if _HARMLESS not in event.text)
    return tuple(event for event in logged if event.groups.get("xid") in wanted)


def gpu_of(event: JobEvent) -> str:
    """``node07 GPU 3``, ``node07 GPU 0000:9b:00.0``, as far as it is known; "" where neither node nor GPU is."""
    return device_of(event, "GPU")


def xid_of(event: JobEvent) -> str:
    """Its number: what kind of fault it is."""
    return event.groups.get("xid", "")


def xids_in_words(found: Iterable[JobEvent]) -> str:
    """``Xid 119 (GSP RPC timeout) and Xid 120 (GSP error)``: distinct ones, in the order of the log."""
    return named_xids(int(event.groups["xid"]) for event in found)


def named_xids(numbers: Iterable[int]) -> str:
    """The same, from the numbers."""
    known = catalogue()
    return " and ".join(f"Xid {number} ({known[number].says})" for number in dict.fromkeys(numbers))


def severity_of(numbers: Iterable[int]) -> Severity:
    """Of these Xids: critical where one ends all that runs on the GPU, an error where one ends work, else a warning."""
    entries = [catalogue()[number] for number in numbers]
    if any(entry.ends_all for entry in entries):
        return "critical"
    return "error" if any(entry.severe for entry in entries) else "warning"


def severe(event: JobEvent) -> bool:
    """Does this Xid end work, or say that a part is broken?"""
    return catalogue()[int(event.groups["xid"])].severe


def advice(found: Iterable[JobEvent]) -> tuple[Step, ...]:
    """What NVIDIA advises for these Xids: the strongest of it, as a step of a remedy."""
    known = catalogue()
    said = advised((known[int(event.groups["xid"])] for event in found), "Xid")
    return (Step(*said),) if said is not None else ()

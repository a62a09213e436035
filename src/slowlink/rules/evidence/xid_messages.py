"""Xid errors of NVIDIA's driver in the kernel log, by what they blame.

Source: NVIDIA, "XID Errors" (docs.nvidia.com/deploy/xid-errors).
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.rules.evidence.messages import device_of, happened

APPLICATION = {13: "graphics engine exception", 31: "memory page fault", 43: "reset channel", 45: "preemptive cleanup"}
"""A program's fault: number -> what it is."""
MEMORY = {
    48: "double-bit ECC error",
    63: "row remap or page retirement recorded",
    64: "row remap or page retirement failed",
    92: "high rate of single-bit ECC errors",
    94: "contained ECC error",
    95: "uncontained ECC error",
    140: "unrecovered ECC error",
    171: "uncorrectable DRAM error",
    172: "uncorrectable SRAM error",
}
"""Errors of the GPU's memory."""
HUNG = {
    62: "halt of the power management unit",
    109: "context switch timeout",
    110: "security fault",
    119: "GSP RPC timeout",
    120: "GSP error",
    143: "GPU initialisation failed",
    158: "fatal timeout",
    167: "fatal timeout on PCIe",
}
"""The GPU, its firmware or its driver stopped."""
LOST = {79: "GPU has fallen off the bus"}
NVLINK = {
    74: "NVLink error",
    136: "NVLink training failed",
    144: "NVLink SAW error",
    145: "NVLink RLW error",
    146: "NVLink TLW error",
    147: "NVLink TREX error",
    148: "NVLink NVLPW_CTRL error",
    149: "NVLink NETIR error",
    150: "NVLink MSE error",
    155: "NVLink software-defined error",
}
"""Errors of NVLinks: 144 to 150 are the units of NVLink 5. 137 (a privilege error) blames a program of a peer, and is
not among them."""
_HARMLESS = "BER_EVENT"
"""What an Xid 149 may report that needs no action, by NVIDIA's catalogue."""


def xids(events: Events | None, numbers: Iterable[int]) -> tuple[JobEvent, ...]:
    """Xid events with one of these numbers, harmless ones left out."""
    wanted = {str(number) for number in numbers}
    logged = (event for event in happened(events, "kernel-xid") if _HARMLESS not in event.text)
    return tuple(event for event in logged if event.groups.get("xid") in wanted)


def gpu_of(event: JobEvent) -> str:
    """``node07 GPU 3``, ``node07 GPU 0000:9b:00.0``, as far as it is known; "" where neither node nor GPU is."""
    return device_of(event, "GPU")


def xid_of(event: JobEvent) -> str:
    """Its number: what kind of fault it is."""
    return event.groups.get("xid", "")


def xids_in_words(found: Iterable[JobEvent], names: dict[int, str]) -> str:
    """``Xid 119 (GSP RPC timeout) and Xid 120 (GSP error)``: distinct ones, in the order of the log."""
    return named_xids((int(event.groups["xid"]) for event in found), names)


def named_xids(numbers: Iterable[int], names: dict[int, str]) -> str:
    """The same, from the numbers."""
    return " and ".join(f"Xid {number} ({names[number]})" for number in dict.fromkeys(numbers))

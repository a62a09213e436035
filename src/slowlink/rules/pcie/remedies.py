"""The remedy that rules about PCIe links share, and what errors of a link explain."""

from __future__ import annotations

from slowlink.rules.evidence.commands import as_device, command
from slowlink.rules.evidence.findings import Step

RESEAT = (
    Step("Compare what the link can do with what it does, under load.", "lspci -vv | grep -E 'LnkCap:|LnkSta:'"),
    Step("Reseat the card, and compare with a sound node."),
)

SLOWED_BY_ERRORS = ("busbw-below-expected", "bandwidth-unstable", "straggler-gpu", "straggler-nic")
"""Symptoms of a link that sends packets again all the time."""


def counters_command(address: str) -> str:
    """Prints the kernel's counters of corrected errors of one device."""
    return command("grep", ".", f"/sys/bus/pci/devices/{as_device(address)}/aer_dev_correctable")

"""An NVSwitch reports errors.

The fabric manager or the kernel (SXid) logged an error of an NVSwitch, with its number and port. Fatal ones end the
NVLink fabric of the machine; after non-fatal ones the link retrains and goes on, which may cost time.

Why it matters: all GPUs of the machine communicate through the switches; one bad port slows or ends every collective.
How to confirm: ``grep -i error /var/log/fabricmanager.log``; ``dmesg -T | grep SXid``; ``nvidia-smi nvlink -e``.
What to do: after a fatal error reset GPUs and switches together or reboot. Watch non-fatal ones: a port that reports
them again and again needs service.
When it is wrong: one non-fatal error without a slow or failed job needs no action; note it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import FABRIC_MANAGER
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    at_hosts,
    by_fault,
    groups_of,
    happened,
    hosts_of,
    listed,
    refs_of,
    times_printed,
)

CAUSES = ("nvswitch-error",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for all switches of nodes with the same errors."""
    for alike in by_fault(happened(events, "nvswitch-error"), lambda event: event.groups.get("error", "")):
        yield _finding(alike)


def _finding(found: Sequence[JobEvent]) -> Finding:
    fatal = [event for event in found if event.groups.get("severity", "").lower() == "fatal"]
    named = fatal or list(found)  # of both kinds only the fatal ones
    errors, ports, switches = groups_of(named, "error"), groups_of(named, "port"), groups_of(named, "pci")
    hosts = hosts_of(found)
    where = " of ".join(
        filter(None, (f"port {listed(ports)}" if ports else "", f"NVSwitch {listed(switches)}" if switches else ""))
    )
    return finding(
        "nvswitch-error",
        f"{at_hosts(hosts)}{'fatal' if fatal else 'non-fatal'} NVSwitch error {listed(errors)}"
        + (f" on {where}" if where else "")
        + (f", {times_printed(named)} times" if times_printed(named) > 1 else ""),
        severity="critical" if fatal else "error",
        confidence="certain" if fatal else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("node", hosts), *suspects("link", (f"NVSwitch {pci}" for pci in switches))),
        explains=("nvlink-down", "nvls-unavailable", *(LOST_PEER if fatal else ())),
        remedy=[
            ("See whether the same port comes again.", "grep -iE 'nvswitch.*error' /var/log/fabricmanager.log"),
            ("Read the errors of the GPUs' links.", "nvidia-smi nvlink -e"),
        ],
        references=[FABRIC_MANAGER],
    )

"""An NVSwitch reports errors.

The fabric manager or the kernel (SXid) logged an error of an NVSwitch, with its number and port. Fatal ones end the
NVLink fabric of the machine; after non-fatal ones the link retrains and goes on, which may cost time. What the switch
corrects by itself is a warning, and the end of an overheating is none. The catalogue says what the number means and
what NVIDIA advises.

Why it matters: all GPUs of the machine communicate through the switches; one bad port slows or ends every collective.
How to confirm: ``grep -i error /var/log/fabricmanager.log``; ``dmesg -T | grep SXid``; ``nvidia-smi nvlink -e``.
What to do: after a fatal error reset GPUs and switches together or reboot. Watch non-fatal ones: a port that reports
them again and again needs service.
When it is wrong: one non-fatal error without a slow or failed job needs no action; note it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.driver_errors.numbers import DriverError, advised, sxid
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
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

_OVER = frozenset({"10005", "28002", "28004"})
"""The end of an overheating."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for all switches of nodes with the same errors."""
    logged = [event for event in happened(events, "nvswitch-error") if event.groups.get("error") not in _OVER]
    for alike in by_fault(logged, lambda event: event.groups.get("error", "")):
        yield _finding(alike)


def _meaning(event: JobEvent) -> DriverError | None:
    return sxid(int(event.groups.get("error", "0")[:9]))


def _in_words(found: Sequence[JobEvent]) -> str:
    """``20034 (a link went down) and 12028 (...)``."""
    said = {event.groups.get("error", ""): _meaning(event) for event in found}
    return listed([f"{number} ({meant.says})" if meant else number for number, meant in said.items() if number])


def _advice(found: Sequence[JobEvent]) -> tuple[Step, ...]:
    said = advised(filter(None, map(_meaning, found)), "SXid")
    return (Step(*said),) if said is not None else ()


def _finding(found: Sequence[JobEvent]) -> Finding:
    fatal = [event for event in found if event.groups.get("severity", "").lower() == "fatal"]
    named = fatal or list(found)  # of both kinds only the fatal ones
    quiet = not fatal and all((meant := _meaning(event)) is not None and not meant.severe for event in named)
    ports, switches = groups_of(named, "port"), groups_of(named, "pci")
    hosts = hosts_of(found)
    where = " of ".join(
        filter(None, (f"port {listed(ports)}" if ports else "", f"NVSwitch {listed(switches)}" if switches else ""))
    )
    return finding(
        "nvswitch-error",
        f"{at_hosts(hosts)}{'fatal' if fatal else 'non-fatal'} NVSwitch error {_in_words(named)}"
        + (f" on {where}" if where else "")
        + (f", {times_printed(named)} times" if times_printed(named) > 1 else ""),
        severity="critical" if fatal else "warning" if quiet else "error",
        confidence="certain" if fatal else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("node", hosts), *suspects("link", (f"NVSwitch {pci}" for pci in switches))),
        explains=("nvlink-down", "nvls-unavailable", *(LOST_PEER if fatal else ())),
        remedy=[
            ("See whether the same port comes again.", "grep -iE 'nvswitch.*error' /var/log/fabricmanager.log"),
            ("Read the errors of the GPUs' links.", "nvidia-smi nvlink -e"),
            *_advice(named),
        ],
        references=[FABRIC_MANAGER],
    )

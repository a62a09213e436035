"""PCIe reports errors that it does not correct.

A hot-plug port lost its link or its card ("pciehp: Slot(3): Link Down"), the firmware reported an error of PCIe as
recoverable or fatal, or the kernel a fatal one of a device or its port ("AER: Uncorrectable (Fatal) error"). Where the
kernel says that the device recovered, that is a warning. What a GPU or an HCA says of itself has its own rules
(gpu-missing, hca-fault).

Why it matters: the device behind that link is gone for a while or for good, and a rank that uses it does not go on.
How to confirm: ``lspci -tv`` for what is behind the port; ``dmesg -T | grep -E 'pciehp|AER|Hardware Error'``.
What to do: drain the node; reseat the card and its riser or cable; replace them if it comes again.
When it is wrong: a slot may hold a disk that somebody took out, and a reset of a device drops its link for a moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.hardware_errors import hardware_errors, is_of_hca_driver
from slowlink.rules.evidence.links_to_docs import RAS
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("pcie-errors",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for slots, one for fatal and one for recoverable reports of the firmware, then the kernel's own."""
    if slots := happened(events, "kernel-pcie-slot-down"):
        yield _finding(
            f"the PCIe port {listed(groups_of(slots, 'port'))} lost its device", slots, "warning", "possible"
        )
    reports = [report for report in hardware_errors(events) if report.is_of_pcie]
    severities: tuple[tuple[bool, Severity], ...] = ((True, "error"), (False, "warning"))
    for fatal, severity in severities:
        lines = [line for report in reports if report.fatal == fatal for line in report.lines]
        if lines:
            how = "fatal" if fatal else "recoverable"
            yield _finding(f"the hardware reported a {how} error of PCIe", lines, severity, "likely")
    yield from _of_the_kernel(events)


def _of_the_kernel(events: Events) -> Iterator[Finding]:
    """Fatal errors that the kernel logged, but for those of HCAs, with the lines of the ports above these."""
    fatal = [event for event in happened(events, "kernel-aer") if event.groups.get("fatal") == "Fatal"]
    hcas = {(event.host, event.groups.get("pci")) for event in fatal if is_of_hca_driver(event)}
    found = [event for event in fatal if (event.host, event.groups.get("pci")) not in hcas]
    back: dict[str, int] = {}  # source -> its last line that says so
    for each in happened(events, "kernel-aer-recovered"):
        back[each.ref.source] = max(each.ref.line, back.get(each.ref.source, 0))
    for recovered in (False, True):
        if lines := [event for event in found if _came_back(event, back) == recovered]:
            devices = listed(groups_of(lines, "pci"))
            end = ", and the device recovered" if recovered else ""
            yield _finding(
                f"a fatal PCIe error of {devices}{end}", lines, "warning" if recovered else "error", "likely"
            )


def _came_back(event: JobEvent, back: Mapping[str, int]) -> bool:
    """Does the same log say below that a device recovered, which it says of the port alone?"""
    return back.get(event.ref.source, -1) > event.ref.line


def _finding(what: str, lines: Sequence[JobEvent], severity: Severity, confidence: Confidence) -> Finding:
    stops_the_node = severity == "error"
    return finding(
        "pcie-errors",
        f"{at_hosts(hosts_of(lines))}{what}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(lines)),
        suspects=suspects("node", hosts_of(lines)),
        explains=("hca-missing", "process-crashed", "rank-lost", *LOST_PEER) if stops_the_node else (),
        remedy=[
            (
                "See which device is behind the port, and what came before.",
                "lspci -tv; dmesg -T | grep -E 'pciehp|AER'",
            ),
            ("Drain the node and reseat the card.", ""),
        ],
        references=[RAS],
    )

"""An HCA failed: its driver, or PCIe, reports an error that it does not survive.

The kernel logged that the firmware of an HCA no longer answers ("device's health compromised"), that it reports an
error of itself ("Health issue observed", with a severity of error or worse), or an uncorrected fatal PCIe error of it.
The driver then takes the device away and tries to bring it back; if the log says that it recovered, the finding is a
warning. So is a command that the firmware did not answer in time, or a queue of packets to send that did not move:
there the driver goes on. PCIe errors that are corrected or not fatal are not reported here; heat has a rule of its own,
node-too-hot.

Why it matters: all transfers through the HCA are lost, and the job dies; without it the node has one HCA less.
How to confirm: ``dmesg -T | grep -E 'mlx5_core|AER'`` for what came before and whether it recovered;
``ibv_devices`` for whether it is there now.
What to do: drain the node and power it off and on, which brings most HCAs back; update the HCA's firmware. If it
happens again, reseat or replace the card; where only PCIe reports errors, look at the slot and riser too.
When it is wrong: a firmware update or a reset on purpose leaves the same lines; and the log may end before the HCA
recovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.parting import parted
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.hardware_errors import is_of_hca_driver
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    at_hosts,
    devices_of,
    groups_of,
    happened,
    hosts_of,
    listed,
    refs_of,
)

CAUSES = ("hca-fatal-error",)

_FATAL = regex(r"health compromised|[Ff]atal error")
"""Among the errors that the HCA's driver logs, the ones after which the HCA is out of use."""
_STARTS = ("ENABLE_HCA", "INIT_HCA")
_ERROR = "3"
"""Severity of an error in the driver's scale, which is syslog's: less is worse."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for all HCAs that failed in one way, apart from those that recovered; then the time-outs."""
    firmware = [e for e in happened(events, "kernel-hca-fault") if _FATAL.search(e.groups.get("error", ""))]
    bus = [e for e in happened(events, "kernel-aer") if _fatal_on_pcie(e)]
    back = {(e.host, e.groups.get("pci")) for e in happened(events, "kernel-hca-recovered")}
    own = [e for e in happened(events, "kernel-hca-fault") if e.groups.get("severity", "7") <= _ERROR]
    says = f"its firmware reports '{listed(groups_of(own, 'syndrome'))}'"
    for found, what in ((firmware, "the firmware stopped answering"), (own, says), (bus, "a fatal PCIe error")):
        for recovered in (False, True):
            of_kind = [e for e in found if ((e.host, e.groups.get("pci")) in back) == recovered]
            if of_kind:
                end = ", and it recovered" if recovered else ""
                severity: Severity = "warning" if recovered else "error"
                yield _finding(
                    of_kind, f"failed: {what}{end}", severity, ("hca-missing", "port-down", "link-flapping", *LOST_PEER)
                )
    yield from _late(happened(events, "kernel-hca-timeout"))


def _late(late: Sequence[JobEvent]) -> Iterator[Finding]:
    """Commands without which the driver does not start the device; then time-outs after which it goes on, which explain
    nothing by themselves."""
    told, queues = parted(late, lambda event: "command" in event.groups)
    starts, commands = parted(told, lambda event: event.groups["command"] in _STARTS)
    if starts:
        names = listed(groups_of(starts, "command"))
        yield _finding(
            starts, f"did not start: its firmware did not answer {names}", "error", ("hca-missing", *LOST_PEER)
        )
    if commands:
        names = listed(groups_of(commands, "command"))
        yield _finding(commands, f"did not answer its driver in time ({names})", "warning", ())
    if queues:
        names = listed(groups_of(queues, "interface"))
        yield _finding(queues, f"sent nothing for some seconds ({names})", "warning", ())


def _fatal_on_pcie(event: JobEvent) -> bool:
    """An uncorrected fatal error of a device that an HCA's driver serves."""
    return event.groups.get("fatal") == "Fatal" and is_of_hca_driver(event)


def _finding(found: Sequence[JobEvent], what: str, severity: Severity, explains: Sequence[str]) -> Finding:
    devices = devices_of((event for event in found if event.groups.get("pci")), "HCA")
    return finding(
        "hca-fatal-error",
        f"{listed(devices) or at_hosts(hosts_of(found)) + 'an HCA'} {what}",
        severity=severity,
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("hca", (name.replace("HCA ", "") for name in devices)), *suspects("node", hosts_of(found))),
        explains=explains,
        remedy=[
            ("See whether it came back, and what came before.", "ibv_devices; dmesg -T | grep -E 'mlx5_core|AER'"),
            ("Drain the node and power it off and on.", ""),
        ],
    )

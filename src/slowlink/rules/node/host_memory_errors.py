"""The node's memory or processors report errors that were not corrected.

The memory controller counted an uncorrected error (EDAC, "1 UE"), or the firmware or a processor reported a hardware
error as recoverable or fatal. Corrected errors are not reported here: servers correct some all the time.

Why it matters: the data is lost. The kernel kills the process that needs it, or the whole node stops.
How to confirm: ``dmesg -T | grep -E 'EDAC|Hardware Error'``; ``ras-mc-ctl --errors``; the BMC's event log names the
DIMM.
What to do: drain the node, replace the DIMM or processor that the BMC names, and test the memory before it comes back.
When it is wrong: a test that injects errors logs alike; a report may be of the boot before this one ("BERT").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.hardware_errors import hardware_errors
from slowlink.rules.evidence.links_to_docs import RAS
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("host-memory-errors",)


def check(events: Events) -> Iterator[Finding]:
    """One finding for the memory controller, one for fatal and one for recoverable reports."""
    counted = [e for e in happened(events, "kernel-memory-controller") if e.groups.get("severity") == "UE"]
    if counted:
        dimms = groups_of(counted, "dimm")
        where = f" on {listed(dimms)}" if dimms else ""
        yield _finding(f"the memory controller counted an uncorrected error{where}", counted, "error")
    reports = [report for report in hardware_errors(events) if not report.is_of_pcie]
    severities: tuple[tuple[bool, Severity], ...] = ((True, "error"), (False, "warning"))
    for fatal, severity in severities:
        mine = [report for report in reports if report.fatal == fatal]
        if mine:
            sections = listed(list(dict.fromkeys(report.section or "unknown part" for report in mine)))
            how = "fatal" if fatal else "recoverable"
            lines = [line for report in mine for line in report.lines]
            yield _finding(f"the hardware reported a {how} error ({sections})", lines, severity)


def _finding(what: str, lines: Sequence[JobEvent], severity: Severity) -> Finding:
    stops_the_node = severity == "error"
    return finding(
        "host-memory-errors",
        f"{at_hosts(hosts_of(lines))}{what}",
        severity=severity,
        confidence="likely",
        evidence=lines_evidence(refs_of(lines)),
        suspects=suspects("node", hosts_of(lines)),
        explains=("process-crashed", "rank-lost", *LOST_PEER) if stops_the_node else (),
        remedy=[
            ("See which DIMM or processor it is.", "ras-mc-ctl --errors; ipmitool sel list"),
            ("Drain the node and have the part replaced.", ""),
        ],
        references=[RAS],
    )

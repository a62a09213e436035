"""The node's memory or processors report errors that were not corrected.

The memory controller counted an uncorrected error (EDAC, "1 UE"), the firmware or a processor reported a hardware error
as recoverable or fatal, or the system event log has an uncorrectable error or a DIMM that was disabled. Corrected
errors are no fault by themselves: servers correct some all the time. One memory controller that corrected thousands,
and ten times as many as any other of the node, is only possible.

Why it matters: the data is lost. The kernel kills the process that needs it, or the whole node stops: it panics, boots
again, or the scheduler takes it down ("Low RealMemory": a DIMM is gone). Then it is critical.
How to confirm: ``dmesg -T | grep -E 'EDAC|Hardware Error'``; ``ras-mc-ctl --errors``; the BMC's event log names the
DIMM.
What to do: drain the node, replace the DIMM or processor that the BMC names, and test the memory before it comes back.
When it is wrong: a test that injects errors logs alike; a report may be of the boot before this one ("BERT").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from slowlink.facts.readings import latest
from slowlink.model.facts import Events, Observations, Of, Readings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.model.source import Ref
from slowlink.model.state import Reading
from slowlink.rules.evidence.boots import KERNEL, Boots
from slowlink.rules.evidence.counters import far_above_their_like
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.hardware_errors import hardware_errors
from slowlink.rules.evidence.links_to_docs import RAS
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    at_hosts,
    counted,
    groups_of,
    happened,
    hosts_of,
    listed,
    refs_of,
)
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("host-memory-errors",)


_DOWN = ("kernel-panic", "node-booted", "slurm-node-fail", "slurm-low-memory")
"""What says that a node stopped, booted again or was taken down."""


_MANY_CORRECTED, _TIMES = 1_000, 10
"""Corrected errors of one controller that are many, and how many times as many as any other has. Limits of ours."""
_REMEDY = [
    ("See which DIMM or processor it is.", "ras-mc-ctl --errors; ipmitool sel list"),
    ("Drain the node and have the part replaced.", ""),
]


def check(
    events: Events | None,
    counts: Annotated[Readings, Of("memory-errors-uncorrected")] | None,
    corrected: Annotated[Readings, Of("memory-errors-corrected")] | None,
    kernels: Annotated[Readings, Of(KERNEL)] | None,
    observations: Observations | None,
) -> Iterator[Finding]:
    """One finding for the memory controller, one for the event log, one for fatal and one for recoverable reports; one
    for a count of which no log is there; one for a controller that corrects far more than its like."""
    logged = list(_logged(events, kernels, observations)) if events is not None else []
    yield from logged
    sure = list(_counted(counts)) if not logged and counts is not None else []
    yield from sure
    if not logged and not sure and corrected is not None:
        yield from _corrects_many(corrected)


def _corrects_many(corrected: Readings) -> Iterator[Finding]:
    odd = far_above_their_like(corrected.all, _MANY_CORRECTED, _TIMES, _number)
    if odd:
        worst = max(odd, key=_number)
        yield finding(
            "host-memory-errors",
            f"{on_nodes(odd)}memory controller {worst.part.name} corrected {_number(worst)} errors, far more than the "
            "others: a DIMM of it may be failing, and a second reading shows whether it goes on",
            severity="warning",
            confidence="possible",
            evidence=reading_evidence(odd, expected="as the other controllers"),
            suspects=node_suspects(odd),
            remedy=_REMEDY,
            references=[RAS],
        )


def _number(reading: Reading) -> int:
    return reading.value if isinstance(reading.value, int) else 0


def _logged(events: Events, kernels: Readings | None, observations: Observations | None) -> Iterator[Finding]:
    for found in _found(events):
        after = _what_followed(found, events, kernels, observations) if found.severity == "error" else None
        yield (
            found
            if after is None
            else replace(
                found,
                severity="critical",
                message=f"{found.message}; {after[0]}",
                evidence=(*found.evidence, *lines_evidence([after[1]])),
                explains=(*found.explains, "kernel-crashed", "rebooted", "application-error", "launcher-failed"),
            )
        )


def _what_followed(
    found: Finding, events: Events, kernels: Readings | None, seen: Observations | None
) -> tuple[str, Ref] | None:
    """How the node went down because of it, and the line that tells it."""
    first = {line.source: line.line for line in reversed(found.evidence)}
    nodes = {suspect.name for suspect in found.suspects if suspect.kind == "node"}
    for event in happened(events, *_DOWN):
        later = event.ref.line > first.get(event.ref.source, 0) or event.kind == "slurm-low-memory"
        if later and (not nodes or event.host is None or event.host in nodes):
            return _in_words(event), event.ref
    boots = Boots(kernels, seen)
    behind = (boots.behind_any(Ref(source, line, ""), nodes or None) for source, line in first.items())
    return next((("then the node booted again", boot) for boot in behind if boot is not None), None)


def _in_words(event: JobEvent) -> str:
    if event.kind == "slurm-low-memory":
        return f"Slurm sees {event.groups['reported']} of {event.groups['configured']} MiB"
    return "then the kernel panicked" if event.kind == "kernel-panic" else "then the node went down"


def _found(events: Events) -> Iterator[Finding]:
    uncorrected = [e for e in happened(events, "kernel-memory-controller") if e.groups.get("severity") == "UE"]
    if uncorrected:
        dimms = groups_of(uncorrected, "dimm")
        where = f" on {listed(dimms)}" if dimms else ""
        yield _finding(f"the memory controller counted an uncorrected error{where}", uncorrected, "error")
    if logged := happened(events, "bmc-memory-uncorrected", "bmc-memory-disabled"):
        dimms = groups_of(logged, "dimm")
        which = f" ({listed(dimms)})" if dimms else ""
        disabled = any(event.kind == "bmc-memory-disabled" for event in logged)
        what = "a DIMM that was disabled" if disabled else "an uncorrectable error of the memory"
        yield _finding(f"the system event log has {what}{which}", logged, "critical" if disabled else "error")
    reports = [report for report in hardware_errors(events) if not report.is_of_pcie]
    severities: tuple[tuple[bool, Severity], ...] = ((True, "error"), (False, "warning"))
    for fatal, severity in severities:
        mine = [report for report in reports if report.fatal == fatal]
        if mine:
            sections = listed(list(dict.fromkeys(report.section or "unknown part" for report in mine)))
            how = "fatal" if fatal else "recoverable"
            lines = [line for report in mine for line in report.lines]
            parts = list(dict.fromkeys(report.part for report in mine if report.part))
            where = f" at {listed(parts)}" if parts else ""
            yield _finding(f"the hardware reported a {how} error ({sections}){where}", lines, severity)


def _counted(counts: Readings) -> Iterator[Finding]:
    bad = [r for r in latest(counts.all).values() if not isinstance(r.value, str) and r.value > 0]
    if not bad:
        return
    total = sum(int(r.value) for r in bad)
    yield finding(
        "host-memory-errors",
        f"{on_nodes(bad)}the memory controller counts {counted(total, 'error')} that could not be corrected since its "
        "driver was loaded",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(bad, expected="0"),
        suspects=node_suspects(bad),
        remedy=_REMEDY,
        references=[RAS],
    )


def _finding(what: str, lines: Sequence[JobEvent], severity: Severity) -> Finding:
    stops_the_node = severity != "warning"
    return finding(
        "host-memory-errors",
        f"{at_hosts(hosts_of(lines))}{what}",
        severity=severity,
        confidence="likely",
        evidence=lines_evidence(refs_of(lines)),
        suspects=suspects("node", hosts_of(lines)),
        explains=("process-crashed", "rank-lost", *LOST_PEER) if stops_the_node else (),
        remedy=_REMEDY,
        references=[RAS],
    )

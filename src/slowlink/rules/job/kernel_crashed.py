"""The kernel of a node crashed.

The console or the kernel's log of the boot before ends in a panic ("Kernel panic - not syncing"), or the kernel met a
fault of its own and goes on without the process that it hit ("BUG: unable to handle", "Oops: ... [#1]").

Why it matters: a panic takes the node and every rank on it away. After an oops locks may be held for ever and memory
may be wrong, so that what runs later hangs or fails for no reason of its own.
How to confirm: the lines above it, and the call trace below it, name the module; ``journalctl -k -b -1``; the dump of
kdump (``/var/crash``); the event log of the BMC.
What to do: drain the node and boot it again. After "Fatal machine check" or an error of PCIe it is the hardware, after
a trace through a driver that driver's version. Keep the dump for the vendor.
When it is wrong: the node may have crashed long before the job. Where its log shows that it booted again afterwards, or
where a benchmark came to its end behind the line, it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.model.facts import Events, Observations, Of, Readings, Sweeps
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.parting import parted
from slowlink.rules.evidence.boots import KERNEL, Boots
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    at_hosts,
    groups_of,
    happened,
    hosts_of,
    last_complete,
    listed,
    refs_of,
)

CAUSES = ("kernel-crashed",)

_PARTS: tuple[tuple[str, str, Confidence], ...] = (
    ("kernel-panic", "the kernel panicked", "certain"),
    ("kernel-oops", "the kernel met a fault of its own, and is not to be trusted since", "likely"),
)

_EXPLAINS = ("rebooted", "process-crashed", "rank-lost", "node-stalls", *LOST_PEER)


def check(
    events: Events,
    kernels: Annotated[Readings, Of(KERNEL)] | None,
    observations: Observations | None,
    sweeps: Sweeps | None,
) -> Iterator[Finding]:
    """One finding for panics and one for faults after which the kernel went on, apart from those that are over."""
    boots, ran = Boots(kernels, observations), last_complete(sweeps)
    for kind, what, confidence in _PARTS:
        over, still = parted(
            happened(events, kind),
            lambda event: boots.behind(event.ref, event.host) or ran.get(event.ref.source, -1) > event.ref.line,
        )
        if still:
            yield _finding(still, what, "error", confidence)
        if over:
            yield _finding(over, f"{what}; it runs again", "warning", confidence)


def _finding(found: Sequence[JobEvent], what: str, severity: Severity, confidence: Confidence) -> Finding:
    hosts, errors = hosts_of(found), groups_of(found, "error")
    is_bad = severity == "error"
    why = f" ({listed(errors)[:160]})" if errors else ""
    return finding(
        "kernel-crashed",
        f"{at_hosts(hosts)}{what}{why}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=_EXPLAINS if is_bad else (),
        remedy=[
            ("Read what came before it, and the call trace below it.", "journalctl -k -b -1 | tail -n 200"),
            ("Drain the node and boot it again; keep the dump.", "ls /var/crash"),
        ],
    )

"""An NVSwitch machine runs without its fabric manager.

On machines with NVSwitches CUDA starts only after the fabric manager has set up the NVLink fabric. Without it every
CUDA call fails with error 802, "system not yet initialized". Where no CUDA call is in the log, the fabric manager's own
log or the state of its service shows that it gave up.

Why it matters: no GPU of the node can be used.
How to confirm: ``systemctl status nvidia-fabricmanager``; ``nvidia-smi -q | grep -A2 Fabric`` shows ``State :
Completed`` when it works.
What to do: install the fabric manager in exactly the driver's version, start it, and start it at boot. If it was
restarted under running jobs, reboot.
When it is wrong: for some seconds after boot 802 is normal; containers need no fabric manager of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import FABRIC_MANAGER
from slowlink.rules.evidence.messages import FAILED_RUN, LogMessage, at_hosts, happened, hosts_of, refs_of
from slowlink.rules.gpu_links.remedies import START_FABRIC_MANAGER

CAUSES = ("fabric-manager-down",)

_REFUSED = ("don't match with driver version", "failed to initialize", "abnormally")
"""What the fabric manager's own log says when it gives up."""

_EXPLAINS = ("nvls-unavailable", *FAILED_RUN)
_FAILED = "failed to"
"""An error of which nothing is known but that something was not done."""


def check(events: Events | None, warnings: Warnings | None) -> Iterator[Finding]:
    """CUDA's error 802, whoever prints it; without one, what the fabric manager says of itself."""
    found: tuple[LogMessage, ...] = (
        *happened(events, "cuda-system-not-initialized"),
        *cuda_errors(warnings, events, "system not yet initialized"),
    )
    refused = [e for e in happened(events, "fabric-manager-error") if any(words in e.text for words in _REFUSED)]
    stopped = [*happened(events, "fabric-manager-stopped"), *_services(events, "failed")]
    if not found and refused:
        yield _finding(refused, f"the fabric manager gave up: {refused[0].groups.get('error', 'see its log')[:120]}")
    elif not found and stopped:
        yield _finding(stopped, "the fabric manager's service failed")
    else:
        told = [event for event in happened(events, "fabric-manager-error") if _FAILED in event.text]
        if told and not found:
            says = told[0].groups.get("error", "see its log")[:120]
            yield _finding(told, f"the fabric manager says '{says}', and nothing shows what came of it", "warning")
    if found:
        yield _finding(
            found,
            "CUDA error 802 (system not yet initialized): the NVSwitch fabric is not set up, the fabric manager does "
            "not run or does not fit the driver",
        )


def _services(events: Events | None, state: str) -> list[JobEvent]:
    """Where its service was seen in this state. Merely inactive is right on machines without NVSwitches."""
    return [event for event in happened(events, "fabric-manager-service") if event.groups.get("state") == state]


def _finding(found: Sequence[LogMessage], what: str, severity: Severity = "critical") -> Finding:
    hosts, is_down = hosts_of(found), severity == "critical"
    return finding(
        "fabric-manager-down",
        f"{at_hosts(hosts)}{what}",
        severity=severity,
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=_EXPLAINS if is_down else (),
        remedy=START_FABRIC_MANAGER,
        references=[FABRIC_MANAGER],
    )

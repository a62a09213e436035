"""The kernel of a node stalls, or its file system does not answer.

The kernel logged a task that waited inside it for minutes ("blocked for more than 120 seconds"), a processor that did
nothing else for many seconds ("soft lockup"), or a file server that does not answer ("nfs: server ... not responding").

Why it matters: a rank that waits there calls no collective, and all others wait for it.
How to confirm: ``dmesg -T`` around that time; ``cat /proc/PID/stack`` of the task; ``df`` on the mount point.
What to do: find out what the task waited for. A file server that stands still and a GPU that hangs are the usual
reasons; on a virtual machine it may be the host that gave it no processor.
When it is wrong: the task may not belong to the job, and a stall that ended before the job began costs it nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import KERNEL_LOCKUPS
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("node-stalls",)

_SAYS = {
    "kernel-hung-task": ("process", "waited inside the kernel for minutes"),
    "kernel-soft-lockup": ("cpu", "did nothing else for many seconds"),
    "kernel-nfs-stall": ("server", "does not answer"),
}
_NOUNS = {"process": "task", "cpu": "processor", "server": "file server"}


def check(events: Events) -> Iterator[Finding]:
    """One finding for each kind of stall. A warning: the line does not say that a rank of the job waited."""
    for kind, (part, words) in _SAYS.items():
        found = happened(events, kind)
        if not found:
            continue
        hosts = hosts_of(found)
        yield finding(
            "node-stalls",
            f"{at_hosts(hosts)}{_NOUNS[part]} {listed(groups_of(found, part))} {words}",
            severity="warning",
            confidence="likely",
            evidence=lines_evidence(refs_of(found)),
            suspects=suspects("node", hosts),
            explains=("pace-drops",),
            remedy=[
                ("See what the kernel logged before and after.", "dmesg -T | grep -E -A5 'blocked for|lockup|nfs:'"),
                ("See where a task waits now.", "cat /proc/PID/stack"),
            ],
            references=[KERNEL_LOCKUPS],
        )

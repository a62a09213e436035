"""The kernel of a node stalls, or its file system does not answer.

The kernel logged a task that waited inside it for minutes ("blocked for more than 120 seconds"), a processor that did
nothing else for many seconds ("soft lockup"), or a file server that does not answer ("nfs: server ... not responding").
A server that was back within a minute is no stall, unless that came again and again.
Or ps shows processes that wait for a file server now (state D), iostat a disk that is busy all the time and answers
late, or the kernel's pressure file how much of the time everything waited for disks.

Why it matters: a rank that waits there calls no collective, and all others wait for it.
How to confirm: ``dmesg -T`` around that time; ``cat /proc/PID/stack`` of the task; ``df`` on the mount point.
What to do: find out what the task waited for. A file server that stands still and a GPU that hangs are the usual
reasons; on a virtual machine it may be the host that gave it no processor.
When it is wrong: the task may not belong to the job, and a stall that ended before the job began costs it nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_part, worst
from slowlink.model.facts import Events, Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import KERNEL_LOCKUPS
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.node.short_waits import was_short

CAUSES = ("node-stalls",)

_SAYS = {
    "kernel-hung-task": ("process", "waited inside the kernel for minutes"),
    "kernel-soft-lockup": ("cpu", "did nothing else for many seconds"),
    "kernel-nfs-stall": ("server", "does not answer"),
}
_NOUNS = {"process": "task", "cpu": "processor", "server": "file server"}


_OF_FILES = ("nfs", "rpc_", "ll_", "ldlm", "ptlrpc", "cl_sync", "osc_", "fuse_", "cxi", "gpfs", "bread", "io_schedule")
"""How the places in the kernel begin where a process waits for files."""


class Params(Struct, frozen=True):
    """When a disk answers late, and how long a file server may be away."""

    least_busy: float = 90.0
    """Percent of the time, in most samples."""
    least_wait_ms: float = 50.0
    least_pressure: float = 20.0
    """Percent of the last minute in which everything waited for disks."""
    longest_wait_s: float = 60.0
    """The longest time without a file server that is no stall."""
    waits_in_all_s: float = 120.0
    """The same for all waits for one server together."""


def check(
    events: Events | None,
    disks: Annotated[Readings, Of("disk-busy", "disk-wait", "disk-wait-reading", "disk-wait-writing")] | None,
    pressure: Annotated[Readings, Of("pressure-io-full")] | None,
    waiting: Annotated[Readings, Of("process-waits")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for each kind of stall. A warning: no line says that a rank of the job waited."""
    yield from _logged(events, params)
    slow = _slow_disks(disks, params)
    if slow:
        wait = max(float(reading.value) for reading in slow)
        names = listed(sorted({reading.part.name for reading in slow}))
        yield _shown(slow, f"disk {names} is busy all the time and takes {wait:.0f} ms to answer")
    waits = [r for r in worst(pressure.all) if float(r.value) >= params.least_pressure] if pressure is not None else []
    if waits:
        share = max(float(reading.value) for reading in waits)
        yield _shown(waits, f"for {share:.0f} % of a minute everything waited for disks or file servers")
    stuck = [r for r in waiting.all if str(r.value).startswith(_OF_FILES)] if waiting is not None else []
    if stuck:
        names = listed(list(dict.fromkeys(reading.part.name for reading in stuck)))
        yield _shown(stuck, f"waiting for files inside the kernel: {names} ({stuck[0].value})")


def _slow_disks(disks: Readings | None, params: Params) -> list[Reading]:
    """Of each disk that is busy in most samples, its longest time to answer."""
    series = by_part(disks.all if disks is not None else ())
    found = []
    for readings in series.values():
        busy = [float(r.value) for r in readings if r.attribute == "disk-busy"]
        waits = [r for r in readings if r.attribute != "disk-busy" and float(r.value) >= params.least_wait_ms]
        if busy and waits and median(busy) >= params.least_busy:
            found.append(max(waits, key=lambda reading: float(reading.value)))
    return found


def _shown(bad: Sequence[Reading], words: str) -> Finding:
    return finding(
        "node-stalls",
        f"{on_nodes(bad)}{words}",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=("data-loading-slow",),
        remedy=[
            ("See which disks are busy, and who waits.", "iostat -x 1 3; ps -eo pid,stat,wchan:32,cmd | grep ' D'")
        ],
    )


def _logged(events: Events | None, params: Params) -> Iterator[Finding]:
    """What the kernel's log says."""
    for kind, (part, words) in _SAYS.items():
        found = [
            event
            for event in happened(events, kind)
            if not was_short(event, params.longest_wait_s, params.waits_in_all_s)
        ]
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

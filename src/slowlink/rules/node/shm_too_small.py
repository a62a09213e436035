"""The shared memory file system is too small.

NCCL makes shared memory segments in /dev/shm for GPUs that communicate through host memory and for its proxy threads.
Either a segment could not be made because the file system is full, or a node has little room there. Containers get
64 MB by default.

Why it matters: the communicator is not created.
How to confirm: ``df -h /dev/shm`` inside the container or on the node while the job runs.
What to do: give the container more (``--shm-size=8g`` or ``--ipc=host``; in Kubernetes an emptyDir with ``medium:
Memory``), and remove what dead jobs left behind (``ls -l /dev/shm/nccl-*``).
When it is wrong: "No such file or directory" while *attaching* to a segment means that the two processes see
different /dev/shm, in different containers; then give them one IPC namespace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest_of_each
from slowlink.model.facts import Events, Of, Readings, Warnings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING, SHM
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    groups_of,
    happened,
    hosts_of,
    refs_of,
    warned,
)
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("shm-too-small",)

_PATH = "/dev/shm"  # noqa: S108 (only the name that messages carry)
_REMEDY = [
    ("See how much is there and who uses it.", "df -h /dev/shm; ls -l /dev/shm"),
    ("Give the container more shared memory.", "docker run --shm-size=8g --ipc=host ..."),
]


class Params(Struct, frozen=True):
    """Room in /dev/shm that NCCL needs."""

    least_mib: float = 512.0
    """Size in MiB of the file system: eight ranks with their proxies take some tens of MiB each. A container's default
    is 64."""
    least_free_mib: float = 64.0
    """MiB that must be free: what one or two ranks take."""


def check(
    warnings: Warnings | None,
    events: Events | None,
    sizes: Annotated[Readings, Of("shm-size", "shm-free")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for all segments that could not be had, one for nodes that have little room."""
    full = [e for e in happened(events, "no-space") if _PATH in e.text]
    found: tuple[LogMessage, ...] = (*warned(warnings, "shm-extend-failed", "shm-segment-failed"), *full)
    if found:
        yield _failed(found)
    now = latest_of_each(sizes.all) if sizes is not None else []
    small = [r for r in now if r.attribute == "shm-size" and float(r.value) < params.least_mib * (1 << 20)]
    crowded = [r for r in now if r.attribute == "shm-free" and float(r.value) < params.least_free_mib * (1 << 20)]
    if small or crowded:
        yield _small(small or crowded)


def _small(bad: list[Reading]) -> Finding:
    mib = float(bad[0].value) / (1 << 20)
    room = f"{mib:.0f} MiB{' free' if bad[0].attribute == 'shm-free' else ''}"
    return finding(
        "shm-too-small",
        f"{on_nodes(bad)}{_PATH} has {room}; NCCL may not get the segments it needs",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        remedy=_REMEDY,
        references=[SHM, NCCL_TROUBLESHOOTING],
    )


def _failed(found: tuple[LogMessage, ...]) -> Finding:
    hosts = hosts_of(found)
    sizes = [int(size) for size in groups_of(found, "size") if size.isdecimal() and len(size) < 19]
    asked = f": NCCL asked for {max(sizes) / 1e6:.1f} MB" if sizes else ""
    attaching = all("ttaching" in message.text for message in found)
    what = "a shared memory segment of another process cannot be attached to" if attaching else f"{_PATH} is full"
    return finding(
        "shm-too-small",
        f"{at_hosts(hosts)}{what}{asked}",
        severity="critical",
        confidence="likely" if attaching else "certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=FAILED_RUN,
        remedy=_REMEDY,
        references=[SHM, NCCL_TROUBLESHOOTING],
    )

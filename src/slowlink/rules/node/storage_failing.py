"""A disk or its file system fails, or can only be read.

The file system of a disk is mounted read only: the kernel does that to save it after errors of the disk (newer ones
then add ``emergency_ro`` to its options), or somebody wanted it. Or a program was refused to write there, found its
files gone on the server ("Stale file handle"), or a part of a Lustre file system is inactive: files whose pieces lie on
it cannot be read.

Why it matters: nothing can be written there: no checkpoint, no temporary file, no log. Jobs fail on this node alone.
How to confirm: ``dmesg -T | grep -iE 'I/O error|EXT4-fs|XFS|nvme|remount'``; ``smartctl -a`` or ``nvme smart-log`` of
the disk; for files of a server, ``ls`` on another node.
What to do: drain the node, check or replace the disk; remount what a server gave out anew.
When it is wrong: images, rescue systems and some containers are read only on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import latest
from slowlink.model.facts import Events, Of, Readings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("storage-failing",)

_DEAD = ("dead", "deleting")
"""Of Linux's ``nvme_sysfs_show_state``; ``resetting`` and ``connecting`` pass."""
_LOG = ("See what the kernel said about the disk.", "dmesg -T | grep -iE 'I/O error|EXT4-fs|XFS|nvme|remount'")


def check(
    events: Events | None,
    read_only: Annotated[Readings, Of("filesystem-read-only")] | None,
    servers: Annotated[Readings, Of("filesystem-server-active")] | None,
    disks: Annotated[Readings, Of("nvme-state")] | None,
) -> Iterator[Finding]:
    """One finding each for refused writes, lost files, mounts, inactive parts, and disks that do not answer."""
    for kind, words in (("read-only-file-system", "can only be read"), ("stale-file-handle", "is gone on its server")):
        if told := happened(events, kind):
            yield _told(told, words)
    bad = [r for r in latest(read_only.all).values() if r.value is True] if read_only is not None else []
    if bad:
        yield _shown(bad)
    gone = [r for r in latest(servers.all).values() if r.value is False] if servers is not None else []
    if gone:
        names = listed(list(dict.fromkeys(reading.part.name for reading in gone)))
        yield finding(
            "storage-failing",
            f"{on_nodes(gone)}{names} of the Lustre file system is inactive: files that lie there cannot be read",
            severity="error",
            confidence="likely",
            evidence=reading_evidence(gone),
            suspects=node_suspects(gone),
            remedy=[("See which servers the client reaches.", "lfs check servers; lctl dl | grep -v ' UP '")],
        )

    dead = [r for r in latest(disks.all).values() if r.value in _DEAD] if disks is not None else []
    if dead:
        yield finding(
            "storage-failing",
            f"{on_nodes(dead)}{listed([reading.part.name for reading in dead])} does not answer: its driver gave it up",
            severity="error",
            confidence="certain",
            evidence=reading_evidence(dead, expected="live"),
            suspects=node_suspects(dead),
            remedy=[_LOG, ("Have the disk replaced.", "")],
        )


def _told(found: Sequence[JobEvent], words: str) -> Finding:
    hosts = hosts_of(found)
    paths = (*groups_of(found, "file"), *groups_of(found, "path"))
    return finding(
        "storage-failing",
        f"{at_hosts(hosts)}{listed(paths) or 'a file system'} {words}",
        severity="critical" if any("Errno" in event.text for event in found) else "error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("application-error", "launcher-failed", "rank-start-failed", "tcp-unreachable", *FAILED_RUN),
        remedy=[("See how it is mounted.", "findmnt -T PATH"), _LOG],
    )


def _shown(bad: Sequence[Reading]) -> Finding:
    saved = [reading for reading in bad if "emergency_ro" in reading.ref.text]
    places = listed(list(dict.fromkeys(reading.part.name for reading in saved or bad)))
    why = "the kernel made it read only after an error" if saved else "it is mounted read only"
    return finding(
        "storage-failing",
        f"{on_nodes(saved or bad)}{places} cannot be written to: {why}",
        severity="error" if saved else "warning",
        confidence="certain" if saved else "possible",
        evidence=reading_evidence(saved or bad),
        suspects=node_suspects(saved or bad),
        explains=("application-error", "launcher-failed", *FAILED_RUN) if saved else (),
        remedy=[
            _LOG,
            ("Check the file system, unmounted; replace the disk if it reports errors.", "nvme smart-log /dev/nvme0"),
        ],
    )

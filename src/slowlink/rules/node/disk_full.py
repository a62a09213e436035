"""A file system has no room left: no space, no inodes, or a quota that is used up.

A program was told "No space left on device" or "Disk quota exceeded", or df shows a file system that jobs write to
with nothing left in it. df rounds up: 100 % with a terabyte free is not full. Each file and each folder takes an inode;
where they are used up nothing new can be made, however much space there is.

Why it matters: a job ends at its next checkpoint, a rank whose node has no room for temporary files never starts, and
a container's image cannot be unpacked. The other ranks wait for the one that ended.
How to confirm: ``df -h PATH; df -i PATH`` on the node that complained, as the user of the job; ``quota -s``.
What to do: remove what is not needed (old checkpoints, core files, unused images), or write elsewhere.
When it is wrong: "No space left" (ENOSPC) is also said of /dev/shm, which has a rule of its own, and of what is no file
at all: watches (inotify), queues and memory regions of an HCA, the resources of a Slingshot card, semaphores. Lines
that name these do not count. /tmp of a container is not that of the node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, latest, value_of
from slowlink.model.facts import Events, Of, Readings, State
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.commands import as_path, command, one_after_another, piped
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("disk-full", "inodes-exhausted")

_NO_FILE = regex(  # /dev/shm is only the name that messages carry
    r"/dev/shm|(?i:inotify|\bwatch(?:es|er)?\b|\bcxi|slingshot|\bibv_|\b(?:qp|cq|srq|mr|queue pair|memory region)s?\b"  # noqa: S108
    r"|\b(?:sem|msg|shm)get\b|perf_event|\bbpf\b|cgroup|hugepages?)"
)
"""Of what is no file, or none on a disk."""
_EXPLAINS = ("application-error", "launcher-failed", "rank-start-failed", *FAILED_RUN)


class Params(Struct, frozen=True):
    """When a file system counts as full."""

    least_free_mib: float = 256.0
    """MiB that must be free: less than one log and one core file."""
    least_share: float = 0.005
    """Share of a small file system that must be free."""


def check(
    events: Events | None,
    free: Annotated[Readings, Of("filesystem-free")] | None,
    inodes: Annotated[Readings, Of("filesystem-inodes-free")] | None,
    quotas: Annotated[Readings, Of("quota-space", "quota-files")] | None,
    state: State | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for what programs were told, one each for space, inodes and quotas as tools show them."""
    told = [e for e in happened(events, "no-space", "quota-exceeded") if not _NO_FILE.search(e.text)]
    if told:
        yield _told(told)
    now = list(latest(free.all).values()) if free is not None else []
    full = [r for r in now if float(r.value) < _least(r, state, params)]
    if full:
        yield _shown("disk-full", full, "is full" if len({r.part for r in full}) == 1 else "are full", "df -h")
    none = [r for r in latest(inodes.all).values() if r.value == 0] if inodes is not None else []
    if none:
        yield _shown("inodes-exhausted", none, "has no inodes left", "df -i")
    if quotas is not None:
        yield from _quotas(quotas)


def _least(room: Reading, state: State | None, params: Params) -> float:
    """Bytes that must be free."""
    size = value_of(state, "filesystem-size", room.host or "", room.part) if state is not None else None
    least = params.least_free_mib * (1 << 20)
    return min(least, params.least_share * float(size.value)) if size is not None else least


def _shown(cause: str, bad: Sequence[Reading], words: str, tool: str) -> Finding:
    places = list(dict.fromkeys(reading.part.name for reading in bad))
    return finding(
        cause,
        f"{on_nodes(bad)}{listed(places)} {words}",
        severity="error",
        confidence="certain",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=_EXPLAINS,
        remedy=_remedy(places[0].partition("[")[0], tool),
    )


def _remedy(place: str, tool: str) -> list[tuple[str, str]]:
    path = as_path(place)
    largest = command("du", "-x", "--inodes", "--max-depth=2", "--", path)
    if tool == "df -h":
        by_size = command("du", "-xh", "--max-depth=2", "--", path)
        largest = piped(by_size, command("sort", "-h"), command("tail", "-20"))
    room = one_after_another(command("df", "-h", "--", path), command("df", "-i", "--", path))
    return [
        ("See how much is left, of space and of inodes.", room),
        ("Find what takes most of it; remove old checkpoints, core files and images.", largest),
    ]


def _told(found: Sequence[JobEvent]) -> Finding:
    """Programs could not write."""
    hosts = hosts_of(found)
    paths = (*groups_of(found, "file"), *groups_of(found, "path"))
    quota = all(event.kind == "quota-exceeded" for event in found)
    what = "a quota is used up" if quota else "no space is left"
    return finding(
        "disk-full",
        f"{at_hosts(hosts)}{what}{f' for {listed(paths)}' if paths else ''}",
        severity="critical" if any("Errno" in event.text for event in found) else "error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=_EXPLAINS,
        remedy=[("See who uses how much.", "quota -s; lfs quota -h -u $USER PATH")]
        if quota
        else _remedy(paths[0].rpartition("/")[0] if paths else "", "df -h"),
    )


def _quotas(quotas: Readings) -> Iterator[Finding]:
    """Quotas at their limit are errors; those above the first limit will be."""
    now = [r for name in ("quota-space", "quota-files") for r in latest(by_attribute(quotas, name)).values()]
    full = [r for r in now if str(r.value).endswith(" used")]
    over = [r for r in now if str(r.value).startswith("above")]
    if not full and not over:
        return
    bad = full or over
    kind = "files" if bad[0].attribute == "quota-files" else "space"
    yield finding(
        "disk-full",
        f"{on_nodes(bad)}the quota of {kind} on {bad[0].part.name or 'a file system'}: {bad[0].value}",
        severity="error" if full else "warning",
        confidence="certain",
        evidence=reading_evidence(bad),
        suspects=node_suspects(bad),
        explains=_EXPLAINS if full else (),
        remedy=[("Remove or move files, or ask for more; the grace time ends writing as the limit does.", "quota -s")],
    )

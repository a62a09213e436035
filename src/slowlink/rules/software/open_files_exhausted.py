"""NCCL could not open a socket or a file, because its process has as many open as it may.

Each rank holds sockets to its peers, files in ``/dev/shm`` and descriptors of queues: their number grows with the job,
so a limit that was enough for 256 ranks may be too low for 512. NCCL's warning ends with the error of the operating
system, ``Too many open files``, whichever call it was.

Why it matters: the communicator cannot be set up, and all other ranks wait for this one.
How to confirm: ``ulimit -n`` in the job itself (a service or a container has limits of its own); ``ls /proc/PID/fd``.
What to do: raise the limit where the job is started (limits.conf, ``LimitNOFILE``, ``--ulimit nofile``).
When it is wrong: a program that leaks descriptors reaches any limit; then the number grows while the job runs.

Source: NCCL, ``misc/socket.cc``, ``misc/ipcsocket.cc`` and ``checks.h`` (``SYSCHECK``); errno(3).
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, hosts_of, refs_of

CAUSES = ("file-descriptor-limit",)

_ERROR = "Too many open files"


def check(warnings: Warnings) -> Iterator[Finding]:
    """One finding for all warnings that end so."""
    said = tuple(w for w in warnings.all if w.level == "WARN" and _ERROR in w.text)
    if not said:
        return
    yield finding(
        "file-descriptor-limit",
        f"{at_hosts(hosts_of(said))}a process may open no more files or sockets",
        severity="critical",
        confidence="likely",
        suspects=suspects("node", hosts_of(said)),
        evidence=lines_evidence(refs_of(said)),
        explains=("nccl-error-unexplained", "error-unexplained", "rank-lost", "tcp-unreachable", "output-truncated"),
        remedy=[
            ("See the limit in the job itself.", "ulimit -n"),
            ("Raise it where the job is started: limits.conf, LimitNOFILE of the service, or of the container.", ""),
            ("See whether the number of open files grows while the job runs.", "ls /proc/PID/fd"),
        ],
    )

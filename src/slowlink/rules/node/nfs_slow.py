"""An NFS server did not answer in time, and was asked again.

An NFS client waits for an answer for a minute (``timeo=600``) over TCP, and for a second over UDP, before it asks
again; ``nfsstat -c`` and ``mountstats`` count that. On a sound network with a server that keeps up it happens next to
never.

Why it matters: who reads a batch from there, or writes a checkpoint, stands still meanwhile, and all ranks with it.
How to confirm: ``mountstats MOUNT`` twice during the job; ``nfsiostat 5``: times of calls, and which calls wait.
What to do: look at the load of the server and at losses on the way (``nstat``); keep hot data on the nodes.
When it is wrong: the counts begin when the node starts, or when it mounts; a restart of the server counts in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("data-loading-slow",)


class Params(Struct, frozen=True):
    """When it is much."""

    share_percent: float = 1.0
    """Of all calls."""


def check(calls: Annotated[Readings, Of("nfs-retransmitted")], params: Params) -> Iterator[Finding]:
    """One finding for all mounts. A warning: nobody says that the job reads from there."""
    late = [r for r in latest(calls.all).values() if float(r.value) >= params.share_percent]
    if not late:
        return
    late.sort(key=lambda reading: -float(reading.value))
    names = listed(list(dict.fromkeys(reading.part.name for reading in late)))
    yield finding(
        "data-loading-slow",
        f"{on_nodes(late)}an NFS server answers late: {float(late[0].value):.1f} % of the calls were sent again "
        f"({names})",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(late),
        suspects=node_suspects(late),
        explains=("checkpoints-slow",),
        remedy=[("See which calls wait, and whether the numbers grow during the job.", "nfsiostat 5 3; nfsstat -rc")],
        references=["https://man7.org/linux/man-pages/man8/nfsstat.8.html"],
    )

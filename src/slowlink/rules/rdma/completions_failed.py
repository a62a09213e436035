"""RCCL counted completions with an error on an HCA.

Its network telemetry counts what a poll of the completion queue gave back with a status other than success. In a sound
job there is none: the queue pair is in error after the first.

Why it matters: the connection carries nothing any more, and the job ends, or goes on over another device.
How to confirm: the log of the job has the status and the peer (``NCCL WARN ... Got completion from peer``).
What to do: read that status; look at the counters of the port beside it (retries, packets out of sequence), and at the
peer: one that died gives errors, too.
When it is wrong: where ranks are ended from outside, transfers that are still under way end with an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.links_to_docs import IBV_POLL_CQ
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import on_nodes, reading_evidence
from slowlink.rules.evidence.parts_of_processes import device_of, hca_suspects

CAUSES = ("rdma-completions-failed",)


def check(failed: Annotated[Readings, Of("hca-completions-failed")]) -> Iterator[Finding]:
    """One finding for all HCAs. That there is none proves nothing: the HCAs of other processes are not told of."""
    some = sorted(
        (each for each in failed.all if isinstance(each.value, int) and each.value > 0),
        key=lambda each: -int(each.value),
    )
    if not some:
        return
    count = sum(int(each.value) for each in some)
    yield finding(
        "rdma-completions-failed",
        f"{on_nodes(some)}{listed(list(dict.fromkeys(map(device_of, some))), 4)}: {count:,} completions with an error",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(some, expected="none"),
        suspects=hca_suspects(some[:8]),
        explains=("bandwidth-unstable",),
        remedy=[("Read which status they ended with, and with which peer.", "grep -h 'completion' JOB_LOG")],
        references=[IBV_POLL_CQ],
    )

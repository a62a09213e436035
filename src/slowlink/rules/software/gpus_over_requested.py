"""A rank asked for a GPU whose number is beyond those that it can see.

``Test CUDA failure common.cu:892 'invalid device ordinal'``: a benchmark that is linked with MPI takes the GPU with the
number of its rank on the node. PyTorch's own words for it have their meaning in the vocabulary. Or nccl-tests counts
itself (``8 requested but only 4 were found``): where half of them or more are not there, no GPU broke, and too many are
asked for.

Why it matters: nothing starts.
How to confirm: in the job itself, count what a rank sees (``nvidia-smi -L | wc -l``, ``CUDA_VISIBLE_DEVICES``) beside
the ranks of a node. Where the node was built with more GPUs than the driver lists outside of the job too, one is gone.
What to do: start as many ranks as there are GPUs, or ask for more GPUs.
When it is wrong: a GPU of the node is missing, and the job asks for no more than was always there: only the count
outside of the job tells the two apart, so this is never certain.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, happened, hosts_of, refs_of

CAUSES = ("gpus-over-requested",)

_TOO_FEW = "nccl-tests-invalid-gpus"
_REMEDY = [
    ("Count the GPUs of the node, outside of the job: with all there, too many are asked for.", "nvidia-smi -L"),
    ("Start as many ranks on a node as a rank sees GPUs.", ""),
]


def _most_are_wanting(event: JobEvent) -> bool:
    """Are half of the GPUs or more, of those that were asked for, not there?"""
    return 2 * int(event.groups["found"]) <= int(event.groups["requested"])


def check(events: Events | None, warnings: Warnings | None) -> Iterator[Finding]:
    """One finding for all ranks."""
    asked = cuda_errors(warnings, events, "invalid device ordinal")
    if asked:
        yield finding(
            "gpus-over-requested",
            f"{at_hosts(hosts_of(asked))}a rank has no GPU of its number: more ranks than GPUs that they see, or a GPU "
            "of the node is gone",
            severity="critical",
            confidence="likely",
            evidence=lines_evidence(refs_of(asked)),
            suspects=suspects("node", hosts_of(asked)),
            explains=("output-truncated", *LOST_PEER),
            remedy=_REMEDY,
        )
    counted = [event for event in happened(events, _TOO_FEW) if _most_are_wanting(event)]
    if counted:
        wanted, there = counted[0].groups["requested"], counted[0].groups["found"]
        yield finding(
            "gpus-over-requested",
            f"{at_hosts(hosts_of(counted))}{wanted} GPUs were asked for where the job sees {there}",
            severity="critical",
            confidence="likely",
            evidence=lines_evidence(refs_of(counted)),
            suspects=suspects("node", hosts_of(counted)),
            explains=("output-truncated", "rank-lost", *LOST_PEER),
            remedy=_REMEDY,
        )

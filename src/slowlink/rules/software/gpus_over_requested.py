"""A rank asked for a GPU whose number is beyond those that it can see.

``Test CUDA failure common.cu:892 'invalid device ordinal'``: a benchmark that is linked with MPI takes the GPU with the
number of its rank on the node. PyTorch's own words for it have their meaning in the vocabulary. Or nccl-tests counts
itself (``8 requested but only 4 were found``): where half of them or more are not there, or the command gave just as
many as were found, no GPU broke, and too many are asked for.

Why it matters: nothing starts.
How to confirm: in the job itself, count what a rank sees (``nvidia-smi -L | wc -l``, ``CUDA_VISIBLE_DEVICES``) beside
the ranks of a node. Where the node was built with more GPUs than the driver lists outside of the job too, one is gone.
What to do: start as many ranks as there are GPUs, or ask for more GPUs.
When it is wrong: a GPU of the node is missing, and the job asks for no more than was always there: only the count
outside of the job tells the two apart, so this is never certain.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Commands, Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.granted_gpus import TOO_FEW, granted, most_are_wanting
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, happened, hosts_of, refs_of

CAUSES = ("gpus-over-requested",)

_REMEDY = [
    ("Count the GPUs of the node, outside of the job: with all there, too many are asked for.", "nvidia-smi -L"),
    ("Start as many ranks on a node as a rank sees GPUs.", ""),
]


def check(events: Events | None, warnings: Warnings | None, commands: Commands | None) -> Iterator[Finding]:
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
    counted = [(each, granted(each, commands)) for each in happened(events, TOO_FEW)]
    too_many = [(each, command) for each, command in counted if command is not None or most_are_wanting(each)]
    if too_many:
        few, command = too_many[0]
        where = "the job sees" if command is None else "the command gives"
        hosts = hosts_of([each for each, _ in too_many])
        yield finding(
            "gpus-over-requested",
            f"{at_hosts(hosts)}{few.groups['requested']} GPUs were asked for where {where} {few.groups['found']}",
            severity="critical",
            confidence="likely" if command is None else "certain",
            evidence=lines_evidence([*([command.ref] if command else []), *refs_of([each for each, _ in too_many])]),
            suspects=suspects("node", hosts),
            explains=("output-truncated", "rank-lost", "launcher-failed", *LOST_PEER),
            remedy=_REMEDY,
        )

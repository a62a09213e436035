"""NCCL found no room for its buffers in a GPU's memory.

NCCL takes its buffers when a communicator is made and when two ranks connect: some hundred megabytes for each
communicator, more with more channels. ``Cuda failure 2 'out of memory'`` and ``Failed to CUDA calloc async`` say that
the rest of the memory is taken. PyTorch's own words for it have their meaning in the vocabulary.

Why it matters: the communicator is not made, and the job ends.
How to confirm: ``nvidia-smi --query-gpu=index,memory.used,memory.free --format=csv`` on the node while the job starts.
What to do: leave room beside what the program takes for itself (a smaller batch, a smaller share for a serving engine's
cache); end what an earlier job left on the GPU; make fewer communicators, or give each less (NCCL_BUFFSIZE).
When it is wrong: the memory of the host is meant where the call is cudaHostAlloc; then NCCL says so in other words.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, hosts_of, refs_of

CAUSES = ("gpu-out-of-memory",)


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """One finding for all ranks whose call says it."""
    found = cuda_errors(warnings, events, "out of memory")
    if not found:
        return
    hosts = hosts_of(found)
    yield finding(
        "gpu-out-of-memory",
        f"{at_hosts(hosts)}NCCL or its caller found no room in the memory of a GPU",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=FAILED_RUN,
        remedy=[
            (
                "See what has the memory while the job starts.",
                "nvidia-smi --query-gpu=index,memory.used,memory.free --format=csv; "
                "nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv",
            ),
            ("Leave room for NCCL, or end what an earlier job left there.", ""),
        ],
    )

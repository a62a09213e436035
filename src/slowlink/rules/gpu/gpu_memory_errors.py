"""A GPU reports errors of its memory.

The driver logged an uncorrectable ECC error (Xid 48, 140), a row that was remapped or could not be (63, 64), or an
error that was contained in one process or not (94, 95). CUDA reports the same as "uncorrectable ECC error encountered".
The memory's interface (57, 58) and the level-2 cache (90) fail the same way. Numbers that only announce or repeat this
(63, 92, 156, 157, 160, 161, 168, 171, 172) are a warning by themselves.

Why it matters: the process that used the page is ended; an uncontained error ends all of them until the GPU was reset,
so it is critical; and a GPU that cannot remap any more must be replaced.
How to confirm: ``nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT`` on the node.
What to do: Xid 63: reset the GPU at the next chance, so that the remapped row takes effect. Xid 48, 64, 94, 95, 140:
drain the node, reset the GPU, run ``dcgmi diag -r 3``; replace the GPU if it happens again or if remapping failed.
When it is wrong: a single Xid 63 without a failed job is the repair itself, and only needs a reset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import GPU_MEMORY, XID
from slowlink.rules.evidence.messages import LOST_PEER, LogMessage, at_hosts, by_fault, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import MEMORY, advice, gpu_of, severity_of, xid_of, xids, xids_in_words
from slowlink.rules.gpu.remedies import RESET_AND_TEST, TEST

CAUSES = ("gpu-memory-errors",)


def check(events: Events | None, warnings: Warnings | None) -> Iterator[Finding]:
    """One finding for all nodes with the same errors."""
    logged = xids(events, MEMORY)
    cuda = cuda_errors(warnings, events, "ECC error")
    found: tuple[LogMessage, ...] = (*logged, *cuda)
    for alike in by_fault(found, lambda m: m.groups.get("xid", "CUDA")):
        yield _finding(alike)


def _finding(found: Sequence[LogMessage]) -> Finding:
    logged = [message for message in found if isinstance(message, JobEvent) and message.kind == "kernel-xid"]
    gpus = list(dict.fromkeys(filter(None, map(gpu_of, logged))))
    severity = severity_of(int(xid_of(message)) for message in logged)
    if severity == "warning" and len(logged) < len(found):
        severity = "error"
    grave = severity != "warning"
    where = f"{listed(gpus)}: " if gpus else at_hosts(hosts_of(found))
    what = xids_in_words(logged) if logged else "CUDA met an uncorrectable ECC error"
    return finding(
        "gpu-memory-errors",
        f"{where}{what}",
        severity=severity,
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=("gpu-application-fault", "rank-lost", "process-crashed", *LOST_PEER) if grave else (),
        remedy=[
            ("Read the GPU's own counters.", "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT"),
            *((*advice(logged), TEST) if logged else (RESET_AND_TEST,)),
        ],
        references=[XID, GPU_MEMORY],
    )

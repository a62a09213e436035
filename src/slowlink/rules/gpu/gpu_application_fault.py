"""A kernel of the application faulted on the GPU.

The driver logged an Xid that comes from the program that ran: a memory page fault (31), an exception of the graphics
engine (13), an invalid command stream or an exception of a copy engine or another engine (11, 32, 39 to 41, 69 ...), a
channel that was reset (43) or torn down because of such a fault (45). It logged no Xid for this GPU that blames the
hardware. Xid 45 alone says only that a process ended while the GPU worked for it. Without any Xid, CUDA's own error
("an illegal memory access", a failed launch, a misaligned address, an assertion) shows the same.

Why it matters: NCCL reports "an illegal memory access" or the peers lose the rank, and the fabric is blamed.
How to confirm: ``CUDA_LAUNCH_BLOCKING=1`` or ``compute-sanitizer`` on the program; run a plain nccl-tests on the same
GPU.
What to do: fix the program's kernel. If the same GPU faults with different programs, test it with ``dcgmi diag -r 3``.
When it is wrong: a defective GPU or memory can cause the same numbers; usually with one of Xid 48, 79, 94, 95 or 119.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, LogMessage, at_hosts, groups_of, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import APPLICATION, HARDWARE, gpu_of, xid_of, xids, xids_in_words

CAUSES = ("gpu-application-fault",)

# Parts of CUDA's error strings (cudaGetErrorString) for faults of a kernel.
_FAULTS = ("illegal memory access", "unspecified launch failure", "misaligned address", "device-side assert")
_REMEDY = [
    ("Find the kernel that faults.", "compute-sanitizer --tool memcheck PROGRAM"),
    ("Show that the GPU itself is sound.", "dcgmi diag -r 3"),
]
_SEE_WHY = [("See what ended the process; its own output says more.", "dmesg -T | grep -e NVRM -e oom -e segfault")]
_TORN_DOWN = "45"
_OF_KERNELS = frozenset({"13", "31", "43", "44", "45"})
"""Xids that a kernel of the program causes; the others come from what it asks of copy engines and the like."""


def check(events: Events | None, warnings: Warnings | None) -> Iterator[Finding]:
    """One finding for all GPUs whose Xids blame the program alone."""
    sick = {gpu_of(event) for event in xids(events, *HARDWARE)}
    found = [event for event in xids(events, APPLICATION) if gpu_of(event) not in sick]
    if not found and not sick:  # an Xid names the GPU and the process, so it goes first
        yield from _from_cuda(cuda_errors(warnings, events, *_FAULTS))
    if not found:
        return
    gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
    whose, numbers = listed(groups_of(found, "name")) or "the application", set(map(xid_of, found))
    ended = numbers == {_TORN_DOWN}
    what = "a kernel" if numbers & _OF_KERNELS else "work"
    said = f"{whose} ended while the GPU worked for it" if ended else f"{what} of {whose} faulted"
    yield finding(
        "gpu-application-fault",
        f"{listed(gpus) or 'a GPU'}: {said}: {xids_in_words(found)}",
        severity="warning" if ended else "critical",
        confidence="possible" if ended else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(
            *suspects("gpu", gpus),
            *suspects("process", groups_of(found, "pid")),
            *suspects("node", hosts_of(found)),
        ),
        explains=() if ended else ("rank-lost", "process-crashed", *LOST_PEER),
        remedy=_SEE_WHY if ended else _REMEDY,
        references=[XID],
    )


def _from_cuda(found: Sequence[LogMessage]) -> Iterator[Finding]:
    """The same fault as CUDA reports it, to whichever call comes next."""
    if not found:
        return
    error = next(iter(groups_of(found, "error")), "a fault on the GPU")
    yield finding(
        "gpu-application-fault",
        f"{at_hosts(hosts_of(found))}CUDA reports: {error}: a kernel that ran before faulted, most often "
        "the application's",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        explains=("rank-lost", "process-crashed", *LOST_PEER),
        remedy=_REMEDY,
        references=[XID],
    )

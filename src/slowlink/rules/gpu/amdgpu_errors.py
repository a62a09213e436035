"""AMD's GPU driver reports errors in the kernel log.

Five kinds are found: an uncorrectable or deferred error of memory (RAS block ``umc``, or the SRAM of the engines
``gfx``, ``sdma`` and ``mmhub``); one of another RAS block (``athub``, ``pcie_bif`` ...), which is no memory; an error
of the xGMI links between GPUs (block ``xgmi_wafl`` or ``pcs``, or a lane's own message); a ring that timed out and the
reset that follows; a page fault of a program. Each kind has its own cause.

Why it matters: the process on this GPU is killed, or hangs until the reset; all its peers wait.
How to confirm: ``rocm-smi --showrasinfo all``; ``amd-smi metric --ecc``; ``amd-smi bad-pages``; ``dmesg -T``.
What to do: drain the node; reset the GPU or reboot. If the memory fails again, or too many pages are retired, the GPU
is a case for the vendor. A page fault comes from the program: find the kernel with ``AMD_SERIALIZE_KERNEL=3``.
When it is wrong: a reset by an administrator looks like any other. Correctable errors are repaired and are not
reported; a deferred error harms nobody before the data is used, so it is only a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import gpu_of

CAUSES = ("gpu-memory-errors", "gpu-hardware-fault", "nvlink-down", "gpu-driver-hung", "gpu-application-fault")

_REMEDY = Step("Read the counts of all blocks.", "rocm-smi --showrasinfo all; amd-smi metric --ecc")
_OF_PROGRAM = Step("Find the kernel that faults: launch one at a time.", "AMD_SERIALIZE_KERNEL=3 PROGRAM")
_LINKS = ("xgmi_wafl", "pcs")
"""RAS blocks that are links between GPUs, not parts of one."""
_MEMORY = ("umc", "gfx", "sdma", "mmhub")
"""RAS blocks whose errors are errors of memory: the GPU's, or the SRAM of an engine."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for each kind of error."""
    # A RAS line with a count of zero only says that the block was looked at.
    ras = [event for event in happened(events, "kernel-amdgpu-ras") if event.groups.get("count", "0").strip("0")]
    blocks = [event for event in ras if event.groups.get("block") not in _LINKS]
    links = [*happened(events, "kernel-amdgpu-xgmi"), *(event for event in ras if event not in blocks)]
    hung, faults = happened(events, "kernel-amdgpu-hung"), happened(events, "kernel-amdgpu-page-fault")
    for cause, is_memory in (("gpu-memory-errors", True), ("gpu-hardware-fault", False)):
        yield from _of_blocks(cause, [e for e in blocks if (e.groups.get("block") in _MEMORY) == is_memory])
    if links:
        yield _finding("nvlink-down", links, "errors of xGMI links", "error", "likely")
    if hung:
        rings = groups_of(hung, "ring")
        what = f"ring {listed(rings)} timed out" if rings else "the driver reset it"
        yield _finding("gpu-driver-hung", hung, what, "critical", "likely")
    if faults:
        who = listed(groups_of(faults, "name")) or "a program"
        yield _finding("gpu-application-fault", faults, f"page fault of a kernel of {who}", "critical", "likely")


def _of_blocks(cause: str, found: Sequence[JobEvent]) -> Iterator[Finding]:
    """One finding for errors of RAS blocks: those that were not corrected, or else the deferred ones."""
    certain = [event for event in found if event.groups.get("severity") == "uncorrectable"]
    if certain:
        yield _finding(cause, certain, f"uncorrectable errors in {_blocks(certain)}", "error", "certain")
    elif found:
        yield _finding(cause, found, f"deferred errors in {_blocks(found)}", "warning", "possible")


def _blocks(events: Sequence[JobEvent]) -> str:
    return listed([f"block {block}" for block in groups_of(events, "block")])


def _finding(cause: str, found: Sequence[JobEvent], what: str, severity: Severity, confidence: Confidence) -> Finding:
    gpus = list(dict.fromkeys(gpu_of(event) for event in found if event.groups.get("pci")))
    return finding(
        cause,
        f"{listed(gpus) or at_hosts(hosts_of(found)) + 'a GPU'}: {what}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=("rank-lost", "process-crashed", *LOST_PEER),
        remedy=[_OF_PROGRAM if cause == "gpu-application-fault" else _REMEDY],
    )

"""AMD's GPU driver reports errors in the kernel log.

An uncorrectable error of a RAS block (``umc`` is the memory, ``gfx`` and ``sdma`` are engines, ``xgmi_wafl`` the links
between GPUs), a ring that timed out and the reset that follows, an error of an xGMI lane, or a page fault of a program.

Why it matters: the process on this GPU is killed, or hangs until the reset; all its peers wait.
How to confirm: ``rocm-smi --showrasinfo all``; ``amd-smi metric --ecc``; ``amd-smi bad-pages``; ``dmesg -T``.
What to do: drain the node; reset the GPU or reboot. Memory that errs again, or too many retired pages, is a case for
the vendor. A page fault is the program's: run it with a debug build first.
When it is wrong: correctable errors are repaired and are not told here; an administrator's reset looks like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, groups_of, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import gpu_of

CAUSES = ("gpu-memory-errors", "nvlink-down", "gpu-driver-hung", "gpu-application-fault")

_LINKS = ("xgmi_wafl", "pcs")


def check(events: Events) -> Iterator[Finding]:
    """One finding for each kind of error."""
    ras = [event for event in happened(events, "kernel-amdgpu-ras") if event.groups.get("count", "0").strip("0")]
    blocks = [event for event in ras if event.groups.get("block") not in _LINKS]
    certain = [event for event in blocks if event.groups.get("severity") == "uncorrectable"]
    links = [*happened(events, "kernel-amdgpu-xgmi"), *(event for event in ras if event not in blocks)]
    hung, faults = happened(events, "kernel-amdgpu-hung"), happened(events, "kernel-amdgpu-page-fault")
    if certain:
        yield _finding("gpu-memory-errors", certain, f"uncorrectable errors in {_blocks(certain)}", "error", "certain")
    elif blocks:
        yield _finding("gpu-memory-errors", blocks, f"deferred errors in {_blocks(blocks)}", "warning", "possible")
    if links:
        yield _finding("nvlink-down", links, "errors of xGMI links", "error", "likely")
    if hung:
        rings = groups_of(hung, "ring")
        what = f"ring {listed(rings)} timed out" if rings else "the driver reset it"
        yield _finding("gpu-driver-hung", hung, what, "critical", "likely")
    if faults:
        who = listed(groups_of(faults, "name")) or "a program"
        yield _finding("gpu-application-fault", faults, f"page fault of a kernel of {who}", "critical", "likely")


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
        remedy=[("Read the counts of all blocks.", "rocm-smi --showrasinfo all; amd-smi metric --ecc")],
    )

"""AMD's GPU driver reports errors in the kernel log.

Five kinds are found: an uncorrectable or deferred error of memory (RAS block ``umc``, or the SRAM of the engines
``gfx``, ``sdma`` and ``mmhub``); one of another RAS block (``athub``, ``pcie_bif`` ...), which is no memory; an error
of the xGMI links between GPUs (block ``xgmi_wafl`` or ``pcs``, or a lane's own message); a ring that timed out and the
reset that follows; a page fault of a program. Each kind has its own cause. What a GPU does after an uncorrectable error
of its memory (rings time out, other blocks report the same data, the driver resets it) follows from that error, and a
GPU that was reset, or that a job lost, is a critical one.

Why it matters: the process on this GPU is killed, or hangs until the reset; all its peers wait.
How to confirm: ``rocm-smi --showrasinfo all``; ``amd-smi metric --ecc``; ``amd-smi bad-pages``; ``dmesg -T``.
What to do: drain the node; reset the GPU or reboot. If the memory fails again, or too many pages are retired, the GPU
is a case for the vendor. A page fault comes from the program: find the kernel with ``AMD_SERIALIZE_KERNEL=3``.
When it is wrong: a reset by an administrator looks like any other. Correctable errors are repaired and are not
reported; a deferred error harms nobody before the data is used, so it is only a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    at_hosts,
    groups_of,
    happened,
    host_of,
    hosts_of,
    listed,
    refs_of,
)
from slowlink.rules.evidence.xid_messages import gpu_of

CAUSES = ("gpu-memory-errors", "gpu-hardware-fault", "nvlink-down", "gpu-driver-hung", "gpu-application-fault")

_REMEDY = Step("Read the counts of all blocks.", "rocm-smi --showrasinfo all; amd-smi metric --ecc")
_PAGES = Step("See how many pages were retired; replace a GPU whose errors come again.", "amd-smi bad-pages")
_OF_PROGRAM = Step("Find the kernel that faults: launch one at a time.", "AMD_SERIALIZE_KERNEL=3 PROGRAM")
_LINKS = ("xgmi_wafl", "pcs")
"""RAS blocks that are links between GPUs, not parts of one."""
_MEMORY = ("umc", "gfx", "sdma", "mmhub")
"""RAS blocks whose errors are errors of memory: the GPU's, or the SRAM of an engine."""
_LOST = ("kernel-amdgpu-hung", "kernel-gpu-lost", "amdgpu-reset-failed")
"""What takes a GPU from the jobs that use it."""
_ANY = "*"
_ECC = "uncorrectable ECC error"
"""In the words of HIP, whoever prints them: a job met the error."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for each kind of error."""
    # A RAS line with a count of zero only says that the block was looked at.
    ras = [event for event in happened(events, "kernel-amdgpu-ras") if event.groups.get("count", "0").strip("0")]
    blocks = [event for event in ras if event.groups.get("block") not in _LINKS]
    of_links = [event for event in ras if event.groups.get("block") in _LINKS]
    links = [*happened(events, "kernel-amdgpu-xgmi"), *of_links]
    memory = [event for event in blocks if event.groups.get("block") in _MEMORY]
    others = _apart([event for event in blocks if event.groups.get("block") not in _MEMORY], _Sick(memory))
    hung = _apart(happened(events, "kernel-amdgpu-hung"), _Sick(blocks))
    also = tuple(cause for cause, alone in (("gpu-hardware-fault", others), ("gpu-driver-hung", hung)) if not alone)
    yield from _of_blocks("gpu-memory-errors", memory, events, also)
    yield from _of_blocks("gpu-hardware-fault", others, events, also)
    if links:
        yield _finding("nvlink-down", links, "errors of xGMI links", "error", "likely")
    if hung:
        rings = groups_of(hung, "ring")
        what = f"ring {listed(rings)} timed out" if rings else "the driver reset it"
        yield _finding("gpu-driver-hung", hung, what, "critical", "likely")
    if faults := happened(events, "kernel-amdgpu-page-fault"):
        who = listed(groups_of(faults, "name")) or "a program"
        yield _finding("gpu-application-fault", faults, f"page fault of a kernel of {who}", "critical", "likely")


def _is_certain(event: JobEvent) -> bool:
    return event.groups.get("severity") == "uncorrectable"


class _Sick:
    """GPUs with an error that is certain, and where it stands first. There may be an error a line, so none is held
    against all others."""

    def __init__(self, errors: Iterable[JobEvent]) -> None:
        self._first: dict[tuple[str | None, str | None], dict[str, int]] = {}
        """(node or any, GPU's address or any) -> source -> line."""
        for event in filter(_is_certain, errors):
            node, address = _place(event)
            for key in {(node, address), (node, _ANY), (_ANY, address), (_ANY, _ANY)}:
                lines = self._first.setdefault(key, {})
                lines[event.ref.source] = min(event.ref.line, lines.get(event.ref.source, event.ref.line))

    def explains(self, event: JobEvent) -> bool:
        """May one be of the same GPU, and stand above? A message without an address is of any GPU of its node. Of lines
        of two sources the order is not known."""
        node, address = _place(event)
        source, line = event.ref.source, event.ref.line
        return any(
            len(lines) > 1 or lines.get(source, -1) < line
            for key in product(
                (node, None) if node is not None else (_ANY,), (address, None) if address is not None else (_ANY,)
            )
            if (lines := self._first.get(key)) is not None
        )


def _place(event: JobEvent) -> tuple[str | None, str | None]:
    return host_of(event), event.groups.get("pci")


def _apart(found: Sequence[JobEvent], sick: _Sick) -> list[JobEvent]:
    """Those that no earlier error of the same GPU explains, of its memory or of another block."""
    return [event for event in found if not sick.explains(event)]


def _of_blocks(cause: str, found: Sequence[JobEvent], events: Events, also: tuple[str, ...]) -> Iterator[Finding]:
    """One finding for errors of RAS blocks: those that were not corrected, with what became of the GPU, or else the
    deferred ones."""
    certain = [event for event in found if _is_certain(event)]
    if not certain and found:
        yield _finding(cause, found, f"deferred errors in {_blocks(found)}", "warning", "possible")
    if not certain:
        return
    sick = _Sick(certain)
    lost = [e for e in happened(events, *_LOST) if sick.explains(e)]
    taken = {id(event) for event in lost}
    met = [e for e in events.all if _ECC in e.text and id(e) not in taken] if cause == "gpu-memory-errors" else []
    then = "; then the driver reset it" if any("reset" in e.text for e in lost) else "; then it hung" if lost else ""
    yield _finding(
        cause,
        (*certain, *lost[:2], *met[:1]),
        f"uncorrectable errors in {_blocks(certain)}{then or ('; a job met them' if met else '')}",
        "critical" if lost or met else "error",
        "certain",
        also=("gpu-application-fault", *also, *(("application-error",) if met else ())),
    )


def _blocks(events: Sequence[JobEvent]) -> str:
    return listed([f"block {block}" for block in groups_of(events, "block")])


def _finding(
    cause: str,
    found: Sequence[JobEvent],
    what: str,
    severity: Severity,
    confidence: Confidence,
    also: tuple[str, ...] = (),
) -> Finding:
    gpus = list(dict.fromkeys(gpu_of(event) for event in found if event.groups.get("pci")))
    return finding(
        cause,
        f"{listed(gpus) or at_hosts(hosts_of(found)) + 'a GPU'}: {what}",
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=("rank-lost", "process-crashed", *LOST_PEER, *also),
        remedy=[_OF_PROGRAM]
        if cause == "gpu-application-fault"
        else [_REMEDY, *([_PAGES] if cause == "gpu-memory-errors" else [])],
    )

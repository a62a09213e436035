"""The running kernel does not export mm_kobj, which OFED needs for its peer-memory interface.

OFED puts /sys/kernel/mm/memory_peers below the kernel's object ``mm_kobj``. Against kernels that no longer export the
symbol (RHEL 9.6 and others of that age) OFED builds without the interface: no peer-memory client can register, and
nothing reports it.

Why it matters: without peer memory and without DMA-BUF, traffic between nodes is staged through host memory.
How to confirm: ``grep -c __ksymtab_mm_kobj /proc/kallsyms`` shows 0; ``ls /sys/kernel/mm/memory_peers`` fails.
What to do: boot a kernel that exports it and rebuild OFED, or move to DMA-BUF.
When it is wrong: with the drivers of the distribution instead of OFED, or with DMA-BUF, the symbol is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.dma_buf import DmaBuf
from slowlink.facts.readings import latest
from slowlink.model.facts import Observations, Of, Readings, Transports
from slowlink.model.report import Confidence, Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.gpudirect.remedies import CHANGE_KERNEL

CAUSES = ("kernel-without-mm-kobj",)

_LIKELY: Confidence = "likely"
_POSSIBLE: Confidence = "possible"


def check(
    symbols: Annotated[Readings, Of("mm-kobj-exported")],
    stacks: Annotated[Readings, Of("ofed-version")] | None,
    clients: Annotated[Readings, Of("peer-memory-interface", "peer-memory-client")] | None,
    kernels: Annotated[Readings, Of("gpu-driver-open", "kernel-release", "kernel-dma-buf", "kernel-pci-p2pdma")] | None,
    transports: Transports | None,
    observations: Observations | None,
) -> Iterator[Finding]:
    """Nodes with OFED, or without the interface that somebody looked for, whose kernel lacks the symbol, and on which
    nothing shows that GPUDirect RDMA works."""
    if transports is not None and transports.gdr:
        return  # a job used GPUDirect RDMA all the same
    now = list(latest(symbols.all).values())
    with_ofed = {r.host for r in stacks.all} if stacks is not None else set()
    peers = clients.all if clients is not None else ()
    registered = {r.host for r in peers if r.attribute == "peer-memory-client" and r.value is True}
    no_interface = {r.host for r in peers if r.attribute == "peer-memory-interface" and r.value is False}
    told = observations.all if observations is not None else ()
    no_files = no_interface | {seen.host for seen in told if seen.kind == "memory-peers-file-missing"}
    dma_buf = DmaBuf(kernels.all if kernels is not None else ())
    in_need = with_ofed | no_files
    bad = [
        r
        for r in now
        if r.value is False and r.host in in_need and r.host not in registered and dma_buf.serves(r.host) is not True
    ]
    lacking = {r.host for r in bad if r.host in no_interface and dma_buf.serves(r.host) is False}
    sure = [r for r in bad if r.host in lacking]
    seen = [r for r in bad if r.host not in lacking and r.host in no_files]
    doubtful = [r for r in bad if r.host not in lacking and r.host not in no_files]
    for group, confidence in ((sure, _LIKELY), (seen, _LIKELY), (doubtful, _POSSIBLE)):
        if group:
            yield _finding(group, confidence, sure=group is sure)


def _finding(bad: list[Reading], confidence: Confidence, *, sure: bool) -> Finding:
    then = (
        "and there is neither a peer-memory interface nor DMA-BUF: traffic between nodes is staged through host memory"
        if sure
        else "so OFED has no peer-memory interface; GPUDirect RDMA then rests on DMA-BUF, of which nothing is known"
    )
    return finding(
        "kernel-without-mm-kobj",
        f"{on_nodes(bad)}the kernel does not export mm_kobj, {then}",
        severity="error" if sure else "warning",
        confidence=confidence,
        evidence=reading_evidence(bad, expected="exported"),
        suspects=node_suspects(bad),
        explains=("peer-memory-missing", "memory-registration-failed", "gdr-disabled", "busbw-below-expected"),
        remedy=[
            ("See whether clients can register at all.", "ls /sys/kernel/mm/memory_peers; modinfo -F license nvidia"),
            CHANGE_KERNEL,
        ],
    )

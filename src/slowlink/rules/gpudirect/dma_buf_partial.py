"""Only some ranks of one job can use DMA-BUF.

NCCL says for each GPU whether DMA-BUF is there. It needs the open kernel modules of the GPU driver and a kernel from
5.12 on; where nodes differ in them, some ranks have it and others do not.

Why it matters: ranks without it need a peer-memory module for GPUDirect RDMA, or go through host memory; every ring
that passes them follows.
How to confirm: ``modinfo -F license nvidia; uname -r`` on a node of each kind; ``NCCL_DEBUG=INFO`` prints "DMA-BUF is
available on GPU device" for each rank that has it.
Where channels show that GPUDirect RDMA is off on these ranks, that is what leads (``gdr-disabled``): a line that is
missing proves less than a path that was taken.
What to do: give all nodes the same driver and kernel, or load nvidia_peermem on those that lack DMA-BUF.
When it is wrong: where a peer-memory module serves the other ranks. Then GPUDirect RDMA is on everywhere, and nothing
is reported here, if the log shows the channels.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Communicators, GdrDecisions, Transports
from slowlink.model.nccl import LogProcess
from slowlink.model.report import Finding
from slowlink.parsers.nccl.nccl_log.prefix import read_prefix
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed

CAUSES = ("dma-buf-partial",)


def check(gdr: GdrDecisions, communicators: Communicators, transports: Transports | None) -> Iterator[Finding]:
    """A finding where processes that came up differ, unless all paths between nodes use GPUDirect RDMA."""
    if transports is not None and transports.gdr is True:
        return
    have = {_place(read_prefix(ref.text.split(" NCCL ")[0], None, None)[0]): ref for ref in gdr.dmabuf}
    up = {_place(init.process): init.completed for init in communicators.all if init.completed is not None}
    lack = {place: ref for place, ref in up.items() if place not in have and place[0] is not None}
    if not have or not lack or any(host is None for host, _ in have):
        return  # all alike, or the lines do not say whose they are
    hosts = sorted({host for host, _ in lack if host})
    without, with_it = next(iter(lack.values())), next(iter(have.values()))
    assert without is not None
    yield finding(
        "dma-buf-partial",
        f"{listed(hosts)}: {len(lack)} of {len(up)} ranks have no DMA-BUF, and the others do",
        severity="warning",
        confidence="possible",
        evidence=[line_evidence(with_it, observed="DMA-BUF"), line_evidence(without, observed="none")],
        suspects=suspects("node", hosts),
        remedy=[
            ("Compare driver and kernel of the nodes.", "modinfo -F license nvidia; uname -r"),
            ("Load the peer-memory module where there is no DMA-BUF.", "modprobe nvidia_peermem"),
        ],
    )


def _place(process: LogProcess) -> tuple[str | None, int | None]:
    return process.host, process.pid

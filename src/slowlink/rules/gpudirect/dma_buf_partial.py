"""Only some ranks of one job can use DMA-BUF.

NCCL says for each GPU whether DMA-BUF is there. It needs the open kernel modules of the GPU driver and a kernel from
5.12 on; where nodes differ in them, some ranks have it and others do not.

Why it matters: ranks without it need a peer-memory module for GPUDirect RDMA, or go through host memory; every ring
that passes them follows.
How to confirm: ``modinfo -F license nvidia; uname -r`` on a node of each kind; ``NCCL_DEBUG=INFO`` prints "DMA-BUF is
available on GPU device" for each rank that has it.
Where channels show that GPUDirect RDMA is off on these ranks, that is what leads (``gdr-disabled``): a line that is
missing proves less than a path that was taken. Where NCCL says of the others that GPUDirect RDMA is disabled for an
HCA, both lines prove it. So do channels of which only those that send are in the log: ranks with DMA-BUF send from GPU
memory, and those without do not.
What to do: give all nodes the same driver and kernel, or load nvidia_peermem on those that lack DMA-BUF.
When it is wrong: where a peer-memory module serves the other ranks. Then GPUDirect RDMA is on everywhere, and nothing
is reported here, if the log shows the channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.model.facts import Communicators, GdrDecisions, Transports
from slowlink.model.nccl import GdrDecision, LogProcess
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.parsers.nccl.nccl_log.prefix import read_prefix
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed

CAUSES = ("dma-buf-partial",)


def check(gdr: GdrDecisions, communicators: Communicators | None, transports: Transports | None) -> Iterator[Finding]:
    """A finding where processes that came up differ, unless all paths between nodes use GPUDirect RDMA."""
    if transports is not None and transports.gdr is True:
        return
    have = {_place(read_prefix(ref.text.split(" NCCL ")[0], None, None)[0]): ref for ref in gdr.dmabuf}
    off = {**_without_gdr(gdr), **_staged(transports, have)}
    up = {**_completed(communicators), **off, **have}
    lack = {place: ref for place, ref in up.items() if place not in have and place[0] is not None}
    if not have or not lack or any(host is None for host, _ in have):
        return  # all alike, or the lines do not say whose they are
    hosts = sorted({host for host, _ in lack if host})
    told = [ref for place, ref in lack.items() if place in off]
    mixed = {host for host, _ in lack} & {host for host, _ in have}
    without, with_it = (told or list(lack.values()))[0], next(iter(have.values()))
    yield finding(
        "dma-buf-partial",
        f"{listed(hosts)}: {len(lack)} of {len(up)} ranks have no DMA-BUF, and the others do"
        + (", and without it GPUDirect RDMA is disabled there" if told else ""),
        severity="error" if told else "warning",
        confidence="likely" if told else "possible",
        evidence=[
            line_evidence(with_it, observed="DMA-BUF"),
            line_evidence(without, observed="GPUDirect RDMA disabled" if told else "none"),
        ],
        suspects=suspects("node", hosts),
        # Where whole nodes lack it, GPUDirect RDMA is off on them, whatever else might have served them: that leads.
        explains=("gdr-disabled", "busbw-below-expected") if told and mixed else (),
        remedy=[
            ("Compare driver and kernel of the nodes.", "modinfo -F license nvidia; uname -r"),
            ("Load the peer-memory module where there is no DMA-BUF.", "modprobe nvidia_peermem"),
        ],
    )


def _completed(communicators: Communicators | None) -> dict[tuple[str | None, int | None], Ref]:
    inits = communicators.all if communicators is not None else ()
    return {_place(init.process): init.completed for init in inits if init.completed is not None}


def _without_gdr(gdr: GdrDecisions) -> dict[tuple[str | None, int | None], Ref]:
    """Processes to which NCCL says that no HCA can do it for their GPU; the distance is another reason."""
    all_of: dict[tuple[str | None, int | None], list[GdrDecision]] = {}
    for decision in gdr.all:
        if decision.hca is not None:
            all_of.setdefault(_place(decision.process), []).append(decision)
    return {
        place: decisions[0].ref for place, decisions in all_of.items() if not any(each.enabled for each in decisions)
    }


def _staged(
    transports: Transports | None, have: Mapping[tuple[str | None, int | None], Ref]
) -> dict[tuple[str | None, int | None], Ref]:
    """Processes that send through host memory, where nothing but sending is shown, and those with DMA-BUF that send do
    it from GPU memory."""
    if transports is None or any(kind.side != "send" for kind in transports.inter.kinds):
        return {}  # what receives decides, and gdr-disabled judges it
    direct = {_place(edge.process) for edge in transports.inter.of(lambda kind: kind.gdr is True).first_of_each()}
    staged = transports.inter.of(lambda kind: kind.transport == "NET/IB" and kind.gdr is False)
    places = {_place(edge.process): edge.ref for edge in staged.first_of_each()}
    sending = {place for place in have if place in direct or place in places}
    if not sending or not sending <= direct or places.keys() & direct:
        return {}
    return places


def _place(process: LogProcess) -> tuple[str | None, int | None]:
    return process.host, process.pid

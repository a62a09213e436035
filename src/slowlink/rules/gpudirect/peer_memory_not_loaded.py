"""No peer-memory module is loaded on nodes with GPUs and HCAs, as their lists of modules show.

This page judges what nodes list, whether or not a job ran; peer-memory judges what programs said.

An HCA reaches GPU memory in one of two ways: through a peer-memory module (nvidia_peermem) or through DMA-BUF (open
kernel modules of the GPU driver, Linux 5.12 or newer). Where DMA-BUF is there, a missing module is no fault; where it
is not, every byte between nodes is copied through host memory. Few nodes without it among others are always reported.

Why it matters: without either a 400 Gb/s HCA gives 6 to 14 GB/s instead of 49.
How to confirm: ``lsmod | grep peermem``; ``modinfo -F license nvidia`` (Dual MIT/GPL: open modules, DMA-BUF can be
used; NVIDIA: it cannot); NCCL's log says "via NET/IB/0/GDRDMA" for channels that use it.
What to do: ``modprobe nvidia_peermem``, and its name in /etc/modules-load.d; or move to the open kernel modules.
When it is wrong: with DMA-BUF in use, or on nodes whose jobs never leave them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.dma_buf import DmaBuf
from slowlink.facts.readings import latest, nodes_of
from slowlink.model.facts import Of, Readings, Transports
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import GPUDIRECT_RDMA
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence

CAUSES = ("peer-memory-missing",)

_PEER = ("nvidia_peermem", "nv_peer_mem")
_CLIENTS = ("nv_mem", "nv_mem_nc")
_OF_DEVICES = ("nvidia", "mlx5_core")


def check(
    modules: Annotated[Readings, Of("module-loaded", "peer-memory-client")],
    devices: Annotated[Readings, Of("pci-role", "gpu-name", "gpu-bus-id", "hca-model", "port-state")] | None,
    kernels: Annotated[Readings, Of("gpu-driver-open", "kernel-release", "kernel-dma-buf", "kernel-pci-p2pdma")] | None,
    transports: Transports | None,
) -> Iterator[Finding | Proof]:
    """One finding each for nodes that have neither way, for those of which DMA-BUF is not known, and for those that
    differ from the others but have DMA-BUF."""
    now = list(latest(modules.all).values())
    there = {r.host: r for r in now if r.value is True and r.part.name in (*_PEER, *_CLIENTS)}
    missing = [r for r in now if r.value is False and r.part.name == _PEER[0] and r.host not in there]
    if transports is not None and transports.gdr:
        return  # a job used GPUDirect RDMA all the same
    dma_buf = DmaBuf(kernels.all if kernels is not None else ())
    usual = len(there) > len(missing)  # what most nodes have, the others lack
    both = {r.host for r in missing} if usual else _have_gpus_and_hcas(now, devices)
    needing = [r for r in missing if r.host in both]
    served = {r.host: dma_buf.serves(r.host) for r in needing}
    without = [r for r in needing if served[r.host] is False or (served[r.host] is None and there)]
    unknown = [r for r in needing if served[r.host] is None and not there]
    differing = [r for r in needing if served[r.host] is True and len(there) >= len(missing)]
    if without:
        yield _without(without, list(there.values()))
    if unknown:
        yield _unknown(unknown)
    if differing:
        yield _differing(differing, list(there.values()))
    if there and not needing:
        where = f" on {fold(names)}" if (names := nodes_of(there.values())) else ""
        yield Proof(f"a peer-memory module is loaded{where}", reading_evidence(list(there.values())[:1]), weight=0)


def _have_gpus_and_hcas(modules: list[Reading], devices: Readings | None) -> set[str | None]:
    """The nodes that have NVIDIA's GPUs and HCAs, by their modules or by their devices."""
    every = devices.all if devices is not None else ()
    loaded = {name: {r.host for r in modules if r.part.name == name and r.value is True} for name in _OF_DEVICES}
    gpus = loaded["nvidia"] | {r.host for r in every if r.part.kind == "gpu" or r.value == "gpu"}
    return gpus & (loaded["mlx5_core"] | {r.host for r in every if r.part.kind in ("hca", "port") or r.value == "hca"})


def _without(bad: list[Reading], others: list[Reading]) -> Finding:
    why = f", although {fold(names)} has it" if (names := nodes_of(others)) else ", and DMA-BUF cannot replace it"
    return finding(
        "peer-memory-missing",
        f"{on_nodes(bad)}nvidia_peermem is not loaded{why}: the HCA cannot read GPU memory",
        severity="error",
        confidence="likely",
        evidence=reading_evidence(bad, expected="loaded"),
        suspects=node_suspects(bad),
        explains=("memory-registration-failed", "gdr-disabled", "busbw-below-expected", "latency-high"),
        remedy=[("Load it on every node, and at boot.", "modprobe nvidia_peermem"), by_prepare("peermem", bad)],
        references=[GPUDIRECT_RDMA],
    )


def _differing(bad: list[Reading], others: list[Reading]) -> Finding:
    has = f"{fold(names)} has it" if (names := nodes_of(others)) else "other nodes have it"
    return finding(
        "peer-memory-missing",
        f"{on_nodes(bad)}nvidia_peermem is not loaded, although {has}: here GPUDirect RDMA rests on DMA-BUF alone, "
        "which the driver offers and not every library uses",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(bad, expected="loaded, as elsewhere"),
        suspects=node_suspects(bad),
        explains=("gdr-disabled", "straggler-node"),
        remedy=[
            ("Load it as on the other nodes, and at boot.", "modprobe nvidia_peermem"),
            ("NCCL says whether a channel uses GPUDirect RDMA.", "NCCL_DEBUG=INFO ... | grep GDRDMA"),
        ],
        references=[GPUDIRECT_RDMA],
    )


def _unknown(bad: list[Reading]) -> Finding:
    return finding(
        "peer-memory-missing",
        f"{on_nodes(bad)}nvidia_peermem is not loaded; GPUDirect RDMA then rests on DMA-BUF, which needs the open "
        "kernel modules of the GPU driver, and whether these are in use was not collected",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(bad, expected="loaded, or DMA-BUF"),
        suspects=node_suspects(bad),
        explains=("gdr-disabled",),
        remedy=[("Open modules say Dual MIT/GPL, and have DMA-BUF.", "modinfo -F license nvidia; uname -r")],
        references=[GPUDIRECT_RDMA],
    )

"""NCCL finds no peer-memory module, or the kernel has no interface for one.

This page judges what programs said; peer-memory-not-loaded judges the modules that nodes list.

For GPUDirect RDMA the network driver must be able to pin GPU memory: through a peer-memory client
(/sys/kernel/mm/memory_peers/<client>: nvidia_peermem, or the vendor's own such as MetaX's mxcd) or through DMA-BUF.
OFED offers that interface only when it was built against a kernel that exports ``mm_kobj``. RHEL 9.6 and kernels of
that age no longer export it: OFED then builds without the interface, the client cannot register, and nothing reports
it.

Why it matters: every byte between nodes is copied through host memory; a 400 Gb/s HCA then gives 6 to 14 GB/s instead
of 49.
How to confirm: ``ls /sys/kernel/mm/memory_peers/``; ``lsmod | grep peermem``; ``grep -w mm_kobj /proc/kallsyms``.
perftest with GPU memory is no proof: it may use DMA-BUF where the library insists on the peer-memory client.
What to do: load the module; where the kernel lacks mm_kobj, boot one that has it, or use DMA-BUF (open GPU driver,
kernel 5.12 or newer) where the library supports it.
When it is wrong: with DMA-BUF in use no peer-memory client is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.model.facts import GdrDecisions, Network, Observations, Of, Readings, Transports
from slowlink.model.job import Observation
from slowlink.model.nccl import GdrDecision
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts
from slowlink.rules.gpudirect.peer_memory_files import missing_files
from slowlink.rules.gpudirect.remedies import CHANGE_KERNEL

CAUSES = ("peer-memory-missing", "kernel-without-mm-kobj")

_MISSING = "memory-peers-file-missing"
_NO_SYMBOL = "mm-kobj-absent"


def check(
    observations: Observations | None,
    gdr: GdrDecisions | None,
    transports: Transports | None,
    network: Network | None,
    kernels: Annotated[Readings, Of("gpu-driver-open", "kernel-release", "kernel-dma-buf", "kernel-pci-p2pdma")] | None,
    clients: Annotated[Readings, Of("peer-memory-interface", "peer-memory-client")] | None,
) -> Iterator[Finding]:
    """The missing client, and the kernel that is the reason for it. NCCL says that it found no module even where all
    ranks sit on one node and no HCA is used; that is no finding. Where DMA-BUF serves a node, it needs no
    client."""
    if transports is not None and transports.gdr:
        return  # a job used GPUDirect RDMA all the same
    one_node = network is not None and network.single_node is True
    seen = observations.all if observations is not None else ()
    missing = missing_files([o for o in seen if o.kind == _MISSING], clients, kernels)
    no_symbol = [o for o in seen if o.kind == _NO_SYMBOL]
    no_module = [d for d in gdr.all if d.reason == "no module"] if gdr is not None and not one_node else []
    if missing or no_module:
        yield _client_missing(missing, no_module)
    if no_symbol:
        yield _kernel(no_symbol, missing)


def _client_missing(missing: list[Observation], no_module: list[GdrDecision]) -> Finding:
    path = missing[0].subject if missing else ""
    hosts = [o.host for o in missing] + [d.process.host for d in no_module]
    named = list(dict.fromkeys(host for host in hosts if host))
    what = f"{path} does not exist" if path else "the library found no peer-memory module"
    vendor = "nvidia_peermem" if not path or "nv_mem" in path else "the GPU vendor's peer-memory module"
    return finding(
        "peer-memory-missing",
        f"{at_hosts(named)}GPUDirect RDMA is off because the HCA cannot read GPU memory: {what}",
        severity="error",
        confidence="certain" if no_module else "likely",
        suspects=suspects("node", hosts),
        evidence=[*lines_evidence(o.ref for o in missing), *lines_evidence(d.ref for d in no_module)],
        explains=["memory-registration-failed", "gdr-disabled", "busbw-below-expected", "latency-high"],
        remedy=[
            (
                f"Load {vendor} on every node, and at boot.",
                "modprobe nvidia_peermem" if "nvidia" in vendor else "",
            ),
            ("See which clients are registered.", "ls /sys/kernel/mm/memory_peers/"),
        ],
        references=["https://docs.nvidia.com/cuda/gpudirect-rdma/"],
    )


def _kernel(no_symbol: list[Observation], missing: list[Observation]) -> Finding:
    kernels = [o.subject for o in no_symbol if any(c.isdecimal() for c in o.subject)]
    which = f"kernel {kernels[0]}" if kernels else "this kernel"
    return finding(
        "kernel-without-mm-kobj",
        f"GPUDirect RDMA is off: {which} no longer exports mm_kobj, so OFED builds without memory_peers and the GPU's "
        "peer-memory client cannot register; traffic between nodes is staged through host memory",
        severity="error",
        confidence="likely" if missing else "possible",
        suspects=suspects("node", [o.host for o in no_symbol]),
        evidence=[
            *(line_evidence(o.ref, observed="mm_kobj is not exported", expected="exported") for o in no_symbol[:2]),
            *lines_evidence((o.ref for o in missing), 1),
        ],
        explains=["peer-memory-missing", "memory-registration-failed", "gdr-disabled", "busbw-below-expected"],
        remedy=[
            ("Ask the running kernel for the symbol.", "grep -w mm_kobj /proc/kallsyms"),
            CHANGE_KERNEL,
        ],
    )

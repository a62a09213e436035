"""GPUDirect RDMA is not used although HCAs are in use.

With GPUDirect RDMA the HCA reads and writes GPU memory itself; NCCL then marks the channel ``/GDRDMA``. Without it
every byte is copied through host memory.

Why it matters: staging costs the greater part of a fast HCA: 6 to 14 GB/s were seen where 400 Gb/s carry 49.
How to confirm: ``NCCL_DEBUG=INFO``, then look for ``via NET/IB/0/GDRDMA`` on the *receiving* channel lines.
What to do: find the reason first: the module (peer-memory-missing), the distance between GPU and HCA
(gdr-level-too-strict), or a virtual machine or container that hides the devices. Lines with
NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH show it.
When it is wrong: on one node the network carries nothing; adapters without GPUDirect (Omni-Path hfi1 without its own
driver) cannot do better. The sending side may go without by design (NCCL_NET_GDR_READ).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.facts.transports import receiving
from slowlink.model.edges import Edges
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.facts import GdrDecisions, Network, Perftests, Transports
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV, NCCL_TROUBLESHOOTING

CAUSES = ("gdr-disabled", "gdr-level-too-strict")

_EXPLAINS = ("busbw-below-expected", "latency-high")


class Params(Struct, frozen=True):
    """When perftest and a collective contradict each other; used only where no channel line says what is used."""

    line_rate_gbit_share: float = 0.9
    """perftest with GPU memory counts as line rate from this share of 100, 200, 400 or 800 Gb/s on: an MTU of 1500
    leaves 0.926 of it for data (docs/physics.md, "Units and letters")."""
    collective_share: float = 0.4
    """A busbw peak below this share of what is expected is not what such HCAs give. Staging in host memory was seen at
    0.08 to 0.28 of the ring bound; the slowest healthy system reaches 0.67."""


def check(
    transports: Transports | None,
    gdr: GdrDecisions | None,
    network: Network | None,
    perftests: Perftests | None,
    expectations: Expectations | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """From channel lines; where there are none, from a perftest with GPU memory that beats the collective. Sockets have
    no GPUDirect RDMA to lose."""
    if network is not None and network.single_node:
        return  # nothing leaves the node
    if transports is not None and transports.inter:
        without = receiving(transports.inter).of(lambda kind: kind.gdr is False)
        if without:
            yield _from_channels(without, transports)
            yield from _too_far(gdr)
        elif transports.gdr:
            yield _used(transports)
    elif perftests is not None and expectations is not None:
        yield from _from_perftest(perftests, expectations, params)


def _from_channels(without: Edges, transports: Transports) -> Finding:
    hosts = list(dict.fromkeys(process.host for process in without.processes if process.host))
    off = without.channels
    channels = receiving(transports.inter).of(lambda kind: kind.gdr is not None).channels
    sending = all(kind.side == "send" for kind in without.kinds)
    what = _staged(off, channels, without[0].transport, "send" if sending else "receive")
    return finding(
        "gdr-disabled",
        f"{_named(hosts)}GPUDirect RDMA {'may be' if sending else 'is'} off: {what} staged through host memory"
        + ("; those that receive, which decide, are not in the log" if sending else ""),
        severity="warning" if sending else "error",
        confidence="possible" if sending else "certain",
        suspects=suspects("node", hosts),
        evidence=[line_evidence(edge.ref, observed=f"via {edge.detail}", expected="/GDRDMA") for edge in without[:3]],
        explains=() if sending else (*_EXPLAINS, "dma-buf-partial"),
        remedy=[
            (
                "See whether the peer-memory module is there, and load it.",
                "lsmod | grep -E 'peermem|nv_peer_mem' || modprobe nvidia_peermem",
            ),
            ("Let NCCL say why.", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH"),
            ("Look at the distance between each GPU and its HCA.", "nvidia-smi topo -m"),
        ],
        references=[NCCL_TROUBLESHOOTING],
    )


def _staged(off: int, channels: int, transport: str, direction: str) -> str:
    """``4 of 8 channels that receive over NET/IB are``."""
    if channels == 1:
        return f"the only channel that {direction}s over {transport} is"
    which = f"all {off}" if off == channels else f"{off} of {channels}"
    return f"{which} channels that {direction} over {transport} {'is' if off == 1 else 'are'}"


def _named(hosts: list[str]) -> str:
    if not hosts or len(hosts) > 2:
        return ""
    return ", ".join(hosts) + ": "


def _too_far(gdr: GdrDecisions | None) -> Iterator[Finding]:
    """The lines that name the distance are the reason, when there are any."""
    if gdr is None:
        return
    far = [d for d in gdr.all if not d.enabled and d.distance is not None and d.limit is not None]
    if not far:
        return
    first = far[0]
    yield finding(
        "gdr-level-too-strict",
        f"GPUDirect RDMA is off: the path from GPU to HCA has distance {first.distance} and NCCL allows {first.limit}"
        + (f" (HCA {first.hca or first.hca_index})" if first.hca or first.hca_index else ""),
        severity="error",
        confidence="certain",
        suspects=suspects("hca", [d.hca for d in far]) + suspects("node", [d.process.host for d in far]),
        evidence=lines_evidence(d.ref for d in far),
        explains=["gdr-disabled", *_EXPLAINS],
        remedy=[
            ("If GPU and HCA share a CPU, allow it and measure both ways.", "NCCL_NET_GDR_LEVEL=PHB"),
            ("Better: use the HCA that sits next to the GPU.", "nvidia-smi topo -m"),
        ],
        references=[
            f"{NCCL_ENV}#nccl-net-gdr-level-formerly-nccl-ib-gdr-level",
        ],
    )


def _used(transports: Transports) -> Proof:
    edge = receiving(transports.inter).of(lambda kind: kind.gdr is True)[0]
    return Proof(
        f"GPUDirect RDMA is used on every channel between nodes ({edge.transport})",
        (line_evidence(edge.ref),),
        weight=0,
    )


def _from_perftest(perftests: Perftests, expectations: Expectations, params: Params) -> Iterator[Finding]:
    """perftest reaches line rate from GPU memory and the collective is nowhere near: the library goes another way."""
    rates = [
        (row, run)
        for run in perftests.all
        if run.gpu_memory not in (None, "host")
        for row in run.rows
        if row.bw_average_gbit is not None and _at_line_rate(row.bw_average_gbit, params)
    ]
    if not rates:
        return
    row, run = max(rates, key=lambda pair: pair[0].bw_average_gbit or 0.0)
    slow = [judged for judged in expectations.sweeps if _far_below(judged, params)]
    for judged in slow[:1]:
        peak = judged.sweep.peak_busbw_gbs or 0.0
        yield finding(
            "gdr-disabled",
            f"the collective does not use GPUDirect RDMA: perftest moves {row.bw_average_gbit:.0f} Gb/s out of "
            f"GPU memory ({run.device or 'this HCA'}), {judged.sweep.collective} stops at {peak:.2f} GB/s of "
            f"{judged.busbw.value:.0f}",
            severity="error",
            confidence="likely",
            suspects=suspects("hca", [run.device]) + suspects("node", judged.sweep.hosts),
            evidence=[
                line_evidence(row.ref, observed=f"{row.bw_average_gbit:.2f} Gb/s from {run.gpu_memory} memory"),
                line_evidence(
                    max(judged.sweep.points, key=lambda p: p.busbw_gbs or 0.0).ref,
                    observed=f"{peak:.2f} GB/s",
                    expected=judged.busbw.basis,
                ),
            ],
            explains=_EXPLAINS,
            remedy=[
                (
                    "Let the library say what it does; look for /GDRDMA on its channel lines.",
                    "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH",
                ),
                (
                    "See whether the peer-memory client of the GPU is registered.",
                    "ls /sys/kernel/mm/memory_peers/",
                ),
            ],
        )


def _at_line_rate(rate_gbit: float, params: Params) -> bool:
    return any(params.line_rate_gbit_share * nominal <= rate_gbit <= nominal for nominal in (100, 200, 400, 800))


def _far_below(judged: SweepExpectation, params: Params) -> bool:
    several_nodes = (judged.sweep.nnodes or 1) > 1
    peak = judged.sweep.peak_busbw_gbs
    return (
        several_nodes
        and not judged.assumed
        and peak is not None
        and _least_staged(judged) <= peak < params.collective_share * judged.busbw.value
    )


def _least_staged(judged: SweepExpectation) -> float:
    """GB/s that are reached although data is staged: whatever lies below that was lost in another way."""
    return next((each.busbw.low for each in judged.hindered if each.lacking == {"gdr"}), 0.0)

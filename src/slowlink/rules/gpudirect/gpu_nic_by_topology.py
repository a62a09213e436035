"""A GPU's traffic leaves through a far HCA although a near one is there.

NCCL's channel lines name the HCA of each rank that sends to another node; the topology matrix of the node shows how far
that HCA is from the rank's GPU, and whether a nearer one exists. Far is NODE or SYS, near is PIX or PXB.

Why it matters: across sockets GPUDirect RDMA is off by default; through the CPU a 400 Gb/s HCA was seen at 16 GB/s.
How to confirm: compare ``nvidia-smi topo -m`` of that node (the NIC columns) with ``[send] via NET/IB/N`` in NCCL's
log.
What to do: let NCCL choose (unset NCCL_IB_HCA, NCCL_CROSS_NIC, NCCL_TOPO_FILE), or list one HCA for each GPU; in
virtual machines and containers give NCCL the provider's topology file.
When it is wrong: the near HCA belongs to another network, or its port is down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

from slowlink.facts.readings import by_node
from slowlink.model.edges import ChannelEdge
from slowlink.model.facts import Network, Of, Readings, Transports
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.gpudirect.remedies import USE_NEAR_HCA

CAUSES = ("gpu-nic-affinity-wrong",)

_ORDER = ("PIX", "PXB", "PHB", "NODE", "SYS")
"""Words of the topology matrix, nearest first."""
_NEAR, _FAR = _ORDER.index("PXB"), _ORDER.index("NODE")
_MOST_GPUS = 64
"""A greater number in the bracket of a channel line is a bus id."""
Links = Mapping[str, Mapping[str, Reading]]
"""GPU -> HCA -> how they are joined."""


class FarHca(NamedTuple):
    """A GPU's traffic over a far HCA."""

    edge: ChannelEdge
    used: Reading
    """How the GPU is joined to the HCA in use."""
    near: Reading
    """How it is joined to a nearer one."""


def check(
    transports: Transports, network: Network, links: Annotated[Readings, Of("gpu-nic-link")]
) -> Iterator[Finding]:
    """One finding for all ranks. Where the input has the matrix of one node only, it stands for all nodes."""
    matrices = {node: _links(readings) for node, readings in by_node(links.all).items()}
    only = next(iter(matrices.values())) if len(matrices) == 1 else {}
    names = {(d.process.host, d.index): d.name for d in network.devices if d.transport == "IB"}
    far: dict[str, FarHca] = {}
    for edge in transports.inter.first_of_each():
        used = names.get((edge.process.host, edge.net_device if edge.net_device is not None else -1))
        gpu = _gpu(edge)
        if used is None or gpu is None:
            continue
        found = _far(edge, matrices.get(edge.process.host or "", only).get(gpu, {}), used)
        if found is not None:
            far.setdefault(f"{edge.process.host or ''} GPU {gpu}".strip(), found)
    if far:
        yield _finding(far)


def _gpu(edge: ChannelEdge) -> str | None:
    """The GPU on this side of a collective's channel; None with PXN (another GPU's HCA is used on purpose) and for
    point-to-point channels (``connection`` 1)."""
    device = edge.src_dev if edge.side == "send" else edge.dst_dev
    if edge.proxy_rank is not None or edge.connection == 1 or not edge.transport.startswith("NET/IB"):
        return None
    return device if device.isdecimal() and int(device) < _MOST_GPUS else None


def _links(readings: list[Reading]) -> Links:
    found: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        gpu, _, name = reading.part.name.partition("-")
        found.setdefault(gpu, {})[name] = reading
    return found


def _far(edge: ChannelEdge, hcas: Mapping[str, Reading], used: str) -> FarHca | None:
    """None when the HCA in use is not far, or no near one is there."""
    known = {name: reading for name, reading in hcas.items() if reading.value in _ORDER}
    if used not in known or _ORDER.index(str(known[used].value)) < _FAR:
        return None
    best = min(known.values(), key=lambda reading: _ORDER.index(str(reading.value)))
    return FarHca(edge, known[used], best) if _ORDER.index(str(best.value)) <= _NEAR else None


def _finding(far: Mapping[str, FarHca]) -> Finding:
    who, (edge, used, near) = next(iter(far.items()))
    far_name, near_name = (reading.part.name.partition("-")[2] for reading in (used, near))
    others = f"; {counted(len(far), 'GPU')} in all" if len(far) > 1 else ""
    return finding(
        "gpu-nic-affinity-wrong",
        f"{who} uses {far_name} ({used.value}) although {near_name} ({near.value}) is near it{others}",
        severity="warning",
        confidence="likely",
        suspects=(*suspects("gpu", far), *suspects("node", [each.edge.process.host for each in far.values()])),
        evidence=[
            line_evidence(edge.ref, observed=f"{far_name}: {used.value}", expected=f"{near_name}: {near.value}"),
            line_evidence(near.ref, observed=f"{near_name}: {near.value}"),
        ],
        explains=("busbw-below-expected", "gdr-disabled"),
        remedy=[USE_NEAR_HCA],
    )

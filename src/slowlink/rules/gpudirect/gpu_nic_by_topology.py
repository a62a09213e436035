"""A GPU's traffic leaves through a far HCA although a near one is there.

NCCL's channel lines name the HCA of each rank that talks to another node; the topology matrix of the node tells how far
it is from the rank's GPU, and whether a nearer one exists.

Why it matters: through the CPU a 400 Gb/s HCA was seen at 16 GB/s; across sockets GPUDirect RDMA is off by default.
How to confirm: ``nvidia-smi topo -m`` of that node (the NIC columns) against ``[send] via NET/IB/N`` in NCCL's log.
What to do: let NCCL choose (unset NCCL_IB_HCA, NCCL_CROSS_NIC, NCCL_TOPO_FILE), or list the HCAs one a GPU; in virtual
machines and containers give NCCL the provider's topology file.
When it is wrong: the near HCA belongs to another network, or its port is down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from slowlink.facts.readings import by_node
from slowlink.model.facts import Network, Of, Readings, Transports
from slowlink.model.nccl import ChannelEdge
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted

CAUSES = ("gpu-nic-affinity-wrong",)

_ORDER = ("PIX", "PXB", "PHB", "NODE", "SYS")
_NEAR, _FAR = _ORDER.index("PXB"), _ORDER.index("NODE")
_MOST_GPUS = 64
"""A greater number in the bracket of a channel line is a bus id."""
Links = Mapping[str, Mapping[str, Reading]]
"""GPU -> adapter -> how they are joined."""


def check(
    transports: Transports, network: Network, links: Annotated[Readings, Of("gpu-nic-link")]
) -> Iterator[Finding]:
    """One finding for all ranks; nodes whose matrix is not there are held against the one matrix that is."""
    matrices = {node: _links(readings) for node, readings in by_node(links.all).items()}
    only = next(iter(matrices.values())) if len(matrices) == 1 else {}
    names = {(d.process.host, d.index): d.name for d in network.devices if d.transport == "IB"}
    far: dict[str, tuple[ChannelEdge, Reading, Reading]] = {}
    for edge in transports.inter:
        used = names.get((edge.process.host, edge.net_device if edge.net_device is not None else -1))
        gpu = _gpu(edge)
        if used is None or gpu is None:
            continue
        near = matrices.get(edge.process.host or "", only).get(gpu, {})
        found = _compared(near, used)
        if found is not None:
            far.setdefault(f"{edge.process.host or ''} GPU {gpu}".strip(), (edge, *found))
    if far:
        yield _finding(far)


def _gpu(edge: ChannelEdge) -> str | None:
    """The GPU on this side of a channel without PXN; collectives' channels only."""
    device = edge.src_dev if edge.side == "send" else edge.dst_dev
    if edge.proxy_rank is not None or edge.connection == 1 or not edge.transport.startswith("NET/IB"):
        return None
    return device if device.isdigit() and int(device) < _MOST_GPUS else None


def _links(readings: list[Reading]) -> Links:
    found: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        gpu, _, name = reading.part.name.partition("-")
        found.setdefault(gpu, {})[name] = reading
    return found


def _compared(near: Mapping[str, Reading], used: str) -> tuple[Reading, Reading] | None:
    """How the HCA in use is joined, and a nearer one; None when there is none."""
    known = {name: reading for name, reading in near.items() if reading.value in _ORDER}
    if used not in known or _ORDER.index(str(known[used].value)) < _FAR:
        return None
    best = min(known.values(), key=lambda reading: _ORDER.index(str(reading.value)))
    return (known[used], best) if _ORDER.index(str(best.value)) <= _NEAR else None


def _finding(far: Mapping[str, tuple[ChannelEdge, Reading, Reading]]) -> Finding:
    who, (edge, used, best) = next(iter(far.items()))
    far_name, near_name = (reading.part.name.partition("-")[2] for reading in (used, best))
    others = f"; {counted(len(far), 'GPU')} in all" if len(far) > 1 else ""
    return finding(
        "gpu-nic-affinity-wrong",
        f"{who} uses {far_name} ({used.value}) although {near_name} ({best.value}) is near it{others}",
        severity="warning",
        confidence="likely",
        suspects=(*suspects("gpu", far), *suspects("node", [each.process.host for each, _, _ in far.values()])),
        evidence=[
            line_evidence(edge.ref, observed=f"{far_name}: {used.value}", expected=f"{near_name}: {best.value}"),
            line_evidence(best.ref, observed=f"{near_name}: {best.value}"),
        ],
        explains=("busbw-below-expected", "gdr-disabled"),
        remedy=[("Look which HCA sits next to each GPU, and let NCCL use it.", "nvidia-smi topo -m")],
    )

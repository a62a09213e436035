"""The HCAs in use are far from the GPUs.

NCCL's graph search prints which kind of path leads from a GPU to its HCA: PIX and PXB stay below a PCIe switch, PHB
goes through the CPU, SYS through both sockets. Only SYS is reported.

Why it matters: across sockets GPUDirect RDMA is off by default; through the CPU a 400 Gb/s HCA was seen at 16 GB/s.
How to confirm: ``nvidia-smi topo -m`` (the NIC columns); ``NCCL_DEBUG_SUBSYS=GRAPH``.
What to do: use HCAs below the same PCIe switch (NCCL_IB_HCA), one for each GPU or pair of GPUs; in virtual machines and
containers give NCCL the topology (NCCL_TOPO_FILE of the provider).
When it is wrong: the node has an HCA on one of its sockets only; then some GPUs have no nearer one.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Network, Topology
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.gpudirect.remedies import USE_NEAR_HCA

CAUSES = ("gpu-nic-affinity-wrong",)

_RING = 4
"""Number of the ring among the patterns that NCCL's graph search prints."""


def check(topology: Topology, network: Network) -> Iterator[Finding]:
    """Only the ring's path counts, and only between nodes over RDMA."""
    if network.single_node or all(choice.network == "Socket" for choice in network.choices):
        return  # no HCA carries traffic
    far = [g for g in topology.graphs if g.pattern == _RING and g.type_inter == "SYS" and g.bw_inter_gbs > 0]
    if not far:
        return
    graph = far[0]
    yield finding(
        "gpu-nic-affinity-wrong",
        f"the ring leaves the node through an HCA on another socket (path type SYS, {graph.nchannels} x "
        f"{graph.bw_inter_gbs:g} GB/s)",
        severity="warning",
        confidence="possible",
        suspects=suspects("node", [graph.process.host]),
        evidence=[
            line_evidence(
                graph.ref,
                observed=f"type {graph.type_intra}/{graph.type_inter}",
                expected="PIX or PXB between GPU and HCA",
            )
        ],
        explains=["busbw-below-expected", "gdr-disabled"],
        remedy=[USE_NEAR_HCA],
    )

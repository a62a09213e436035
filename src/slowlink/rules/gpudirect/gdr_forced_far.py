"""GPUDirect RDMA is forced across sockets.

NCCL uses GPUDirect RDMA up to a distance between GPU and HCA. NCCL_NET_GDR_LEVEL=SYS forces it through the link
between the CPU sockets. That it does shows the graph search of NCCL, or a decision whose distance is all that the
level allows. Where channels between nodes use GPUDirect RDMA as well, data takes this way, and it is likely.

Why it matters: many platforms move peer-to-peer traffic between sockets badly; staging in host memory may be faster.
How to confirm: ``nvidia-smi topo -m`` shows SYS between the GPU and the HCA it uses; the graph search of NCCL prints
``type .../SYS``.
What to do: remove the setting and measure both ways; use an HCA on the GPU's own socket.
When it is wrong: some recent platforms do well across sockets; the measurement decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, GdrDecisions, Network, Topology, Transports
from slowlink.model.nccl import GdrDecision, GraphSearch
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV

CAUSES = ("gdr-forced-far",)


def check(
    environment: Environment,
    topology: Topology | None,
    gdr: GdrDecisions | None,
    network: Network | None,
    transports: Transports | None,
) -> Iterator[Finding]:
    """The setting alone proves nothing: a path across sockets must be in use too."""
    if network is not None and network.single_node:
        return  # nothing leaves the node
    forced = [
        s for s in environment.settings if s.name == "NCCL_NET_GDR_LEVEL" and s.value.upper() in ("SYS", "4", "5")
    ]
    far: list[GraphSearch | GdrDecision] = [*_searched(topology), *_decided(gdr)]
    if not forced or not far:
        return  # set, and no path needs it; or such a path, for which NCCL leaves GPUDirect off
    used = transports is not None and (transports.gdr or transports.gdr_mixed)
    yield finding(
        "gdr-forced-far",
        f"GPUDirect RDMA is forced across sockets (NCCL_NET_GDR_LEVEL={forced[0].value}, path type SYS between GPU and "
        "HCA)",
        severity="warning",
        confidence="likely" if used else "possible",
        suspects=suspects("setting", ["NCCL_NET_GDR_LEVEL"]),
        evidence=[*lines_evidence((s.ref for s in forced), 1), *lines_evidence((g.ref for g in far), 1)],
        explains=["busbw-below-expected"],
        remedy=[("Measure with and without the setting.", "unset NCCL_NET_GDR_LEVEL")],
        references=[NCCL_ENV],
    )


def _searched(topology: Topology | None) -> list[GraphSearch]:
    return [graph for graph in (topology.graphs if topology is not None else ()) if graph.type_inter == "SYS"]


def _decided(gdr: GdrDecisions | None) -> list[GdrDecision]:
    """Allowed at the very distance that the forced level allows: the path is of that type, whatever number this version
    of NCCL has for it."""
    decisions = gdr.all if gdr is not None else ()
    return [each for each in decisions if each.enabled and each.distance is not None and each.distance == each.limit]

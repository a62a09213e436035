"""How ranks reach one another: inside a node, and between nodes with or without GPUDirect RDMA."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slowlink.model.edges import EdgeKind, Edges
from slowlink.model.facts import Communicators, Transports
from slowlink.model.nccl import NcclLog


def transports(logs: Sequence[NcclLog], comms: Communicators | None) -> Transports | None:
    """None when no channel line was read."""
    edges = Edges.all_of(log.edges for log in logs)
    if not edges:
        return None
    inter, intra = edges.parted(_uses_network, _between_nodes(comms))
    used = {kind.gdr for kind in receiving(inter).kinds if kind.gdr is not None}
    return Transports(
        edges=edges,
        intra=intra,
        inter=inter,
        gdr=used.pop() if len(used) == 1 else None,
        gdr_mixed=len(used) > 1,
    )


def receiving(edges: Edges) -> Edges:
    """The edges that tell whether GPUDirect RDMA is on.

    The receiving side decides: sends are staged through host memory by design where reading GPU memory over PCIe is
    slow (NCCL_NET_GDR_READ). Without any receiving edge the sending ones have to do.
    """
    return edges.of(lambda kind: kind.side == "receive") or edges


def _uses_network(kind: EdgeKind) -> bool:
    return kind.transport.startswith(("NET/", "COLLNET"))


def _between_nodes(comms: Communicators | None) -> Callable[[int, int], bool] | None:
    """Whether an edge over the network leaves the node; None where all do that nobody knows better of."""
    if comms is None:
        return None
    place = comms.host_of_rank.get

    def leaves(src: int, dst: int) -> bool:
        one, two = place(src), place(dst)
        return one is None or two is None or one != two

    return leaves

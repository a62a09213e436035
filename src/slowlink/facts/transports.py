"""How ranks reach one another: inside a node, and between nodes with or without GPUDirect RDMA."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Communicators, Transports
from slowlink.model.nccl import ChannelEdge, NcclLog


def transports(logs: Sequence[NcclLog], comms: Communicators | None) -> Transports | None:
    """None when no channel line was read."""
    edges = tuple(edge for log in logs for edge in log.edges)
    if not edges:
        return None
    inter = tuple(edge for edge in edges if _between_nodes(edge, comms))
    chosen = set(map(id, inter))
    used = {edge.gdr for edge in receiving(inter) if edge.gdr is not None}
    return Transports(
        edges=edges,
        intra=tuple(edge for edge in edges if id(edge) not in chosen),
        inter=inter,
        gdr=used.pop() if len(used) == 1 else None,
        gdr_mixed=len(used) > 1,
    )


def receiving(edges: Sequence[ChannelEdge]) -> tuple[ChannelEdge, ...]:
    """The edges that tell whether GPUDirect RDMA is on.

    The receiving side decides: sends are staged through host memory by design where reading GPU memory over PCIe is
    slow (NCCL_NET_GDR_READ). Without any receiving edge the sending ones have to do.
    """
    receive = tuple(edge for edge in edges if edge.side == "receive")
    return receive or tuple(edges)


def _between_nodes(edge: ChannelEdge, comms: Communicators | None) -> bool:
    if not edge.transport.startswith(("NET/", "COLLNET")):
        return False
    if comms is None:
        return True
    src, dst = comms.host_of_rank.get(edge.src), comms.host_of_rank.get(edge.dst)
    return src is None or dst is None or src != dst

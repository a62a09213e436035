"""The transport picture of a report, from the facts: which nodes, which ranks and devices, and how they talk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slowlink.model.facts import Facts
from slowlink.model.nccl import ChannelEdge
from slowlink.model.report import Edge, TransportPicture

_Key = tuple[str, str, str, bool | None]


def picture(facts: Facts) -> TransportPicture | None:
    """Edges between nodes, or None where the log shows no channel.

    ``Edge.src`` is the node whose side of the connection the line describes, since GPUDirect RDMA may be on at one end
    and off at the other. A rank whose node is unknown stands for itself (``rank 3``).
    """
    if facts.transports is None or not facts.transports.edges:
        return None
    hosts = dict(facts.communicators.host_of_rank) if facts.communicators is not None else {}
    nodes: dict[str, set[int]] = {}
    for rank in _ranks(facts.transports.edges, hosts):
        nodes.setdefault(_node(rank, hosts), set()).add(rank)
    return TransportPicture(
        nodes=tuple((name, tuple(sorted(ranks))) for name, ranks in nodes.items()),
        devices=_devices(facts),
        edges=_edges(facts.transports.edges, hosts),
    )


def _ranks(edges: Iterable[ChannelEdge], hosts: Mapping[int, str]) -> list[int]:
    return sorted({rank for edge in edges for rank in (edge.src, edge.dst)} | set(hosts))


def _node(rank: int, hosts: Mapping[int, str]) -> str:
    return hosts.get(rank, f"rank {rank}")


def _edges(edges: Iterable[ChannelEdge], hosts: Mapping[int, str]) -> tuple[Edge, ...]:
    # Both ends log a network channel; the larger count of the two is the number of channels.
    sides: dict[_Key, dict[str | None, int]] = {}
    for edge in edges:
        ends = (_node(edge.src, hosts), _node(edge.dst, hosts))
        own, peer = ends if edge.side != "receive" else (ends[1], ends[0])
        counts = sides.setdefault((own, peer, edge.transport, edge.gdr), {})
        counts[edge.side] = counts.get(edge.side, 0) + edge.channels
    return tuple(Edge(*key, max(counts.values())) for key, counts in sides.items())


def _devices(facts: Facts) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if facts.network is None:
        return ()
    found: dict[str, dict[str, None]] = {}
    for device in facts.network.devices:
        if device.process.host is None:
            continue
        port = f":{device.port}" if device.port is not None else ""
        layer = f"/{device.link_layer}" if device.link_layer else ""
        found.setdefault(device.process.host, {})[f"{device.name}{port}{layer}"] = None
    return tuple((host, tuple(names)) for host, names in found.items())

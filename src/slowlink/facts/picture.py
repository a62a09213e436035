"""Who talks to whom and how, for the transport picture of a report."""

from __future__ import annotations

from collections import Counter

from slowlink.model.edges import Edges
from slowlink.model.facts import Communicators, Facts, Network, Sweeps
from slowlink.model.report import Edge, TransportPicture


def picture(facts: Facts) -> TransportPicture | None:
    """Nodes, their ranks and network devices, and the edges between them. None when the log shows no transport."""
    if facts.transports is None:
        return None
    places = _places(facts.communicators, facts.sweeps)
    return TransportPicture(
        nodes=_nodes(places),
        devices=_devices(facts.network),
        edges=_edges(facts.transports.edges, places),
    )


def _places(comms: Communicators | None, swept: Sweeps | None) -> dict[int, str]:
    """Rank -> host, from the log or else from a benchmark's device list."""
    if comms is not None and comms.host_of_rank:
        return dict(comms.host_of_rank)
    runs = [sweep.run for sweep in swept.all] if swept is not None else []
    return {d.rank: d.host for run in runs[:1] for d in run.devices if d.host is not None}


def _nodes(places: dict[int, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    ranks: dict[str, list[int]] = {}
    for rank in sorted(places):
        ranks.setdefault(places[rank], []).append(rank)
    return tuple((host, tuple(each)) for host, each in ranks.items())


def _devices(network: Network | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Host -> the network devices that NCCL uses there."""
    found: dict[str, dict[str, None]] = {}
    for device in network.devices if network is not None else ():
        port = f":{device.port}" if device.port is not None else ""
        layer = f"/{device.link_layer}" if device.link_layer else ""
        found.setdefault(device.process.host or "?", {})[f"{device.name}{port}{layer}"] = None
    return tuple((host, tuple(names)) for host, names in found.items())


class _Places(dict[int, str]):
    """Rank -> host; the rank itself where that is unknown."""

    def __missing__(self, rank: int) -> str:
        return self.setdefault(rank, f"rank {rank}")


def _edges(edges: Edges, places: dict[int, str]) -> tuple[Edge, ...]:
    """Edges with the host of each end (or the rank, where the host is unknown), equal ones folded.

    Between nodes only the receiving side counts, so that an edge is not counted twice.
    """
    counts: Counter[tuple[str, str, str, bool | None]] = Counter()
    if any(kind.side == "receive" for kind in edges.kinds):
        edges = edges.of(lambda kind: kind.side != "send")
    known = _Places(places)
    for kind, src, dst, channels in edges.each():
        counts[known[src], known[dst], kind.transport, kind.gdr] += channels
    return tuple(Edge(src, dst, transport, gdr, count) for (src, dst, transport, gdr), count in counts.items())

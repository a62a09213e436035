"""Which network NCCL chose, and whether it carries anything at all."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Communicators, Network, Sweeps
from slowlink.model.nccl import NcclLog

_ONE_NODE = 8
"""GPUs of a node, at most, of nearly all that are sold."""


def network(logs: Sequence[NcclLog], swept: Sweeps | None, comms: Communicators | None) -> Network | None:
    """None when no line told of the network."""
    choices = tuple(choice for log in logs for choice in log.networks)
    devices = tuple(device for log in logs for device in log.net_devices)
    plugins = tuple(plugin for log in logs for plugin in log.plugins)
    bootstraps = tuple(bootstrap for log in logs for bootstrap in log.bootstraps)
    no_ib = tuple(ref for log in logs for ref in log.no_ib_device)
    if not (choices or devices or plugins or bootstraps or no_ib):
        return None
    alone = single_node(swept, comms)
    return Network(choices, devices, plugins, bootstraps, no_ib, _all_inside(logs, comms) if alone is None else alone)


def _all_inside(logs: Sequence[NcclLog], comms: Communicators | None) -> bool | None:
    """True for as few ranks as one node has, whose every path is inside it. A ring over two nodes leaves each."""
    ways = {edge.transport for log in logs for edge in log.edges}
    few = comms is not None and comms.nranks is not None and comms.nranks <= _ONE_NODE
    return True if few and ways and not any(way.startswith("NET") for way in ways) else None


def single_node(swept: Sweeps | None, comms: Communicators | None) -> bool | None:
    """True when every rank is known to sit on one node, False when some are known not to, None otherwise."""
    counts = {sweep.nnodes for sweep in swept.all} if swept is not None else set()
    if comms is not None:
        counts |= {comm.nnodes for comm in comms.all}
        if comms.nranks is not None and len(comms.host_of_rank) == comms.nranks:
            counts.add(len(set(comms.host_of_rank.values())))
    counts.discard(None)
    if not counts:
        return None
    return max(count for count in counts if count is not None) == 1

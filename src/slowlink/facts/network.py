"""Which network NCCL chose, and whether it carries anything at all."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Communicators, Network, Sweeps
from slowlink.model.nccl import NcclLog


def network(logs: Sequence[NcclLog], swept: Sweeps | None, comms: Communicators | None) -> Network | None:
    """None when no line told of the network."""
    choices = tuple(choice for log in logs for choice in log.networks)
    devices = tuple(device for log in logs for device in log.net_devices)
    plugins = tuple(plugin for log in logs for plugin in log.plugins)
    bootstraps = tuple(bootstrap for log in logs for bootstrap in log.bootstraps)
    no_ib = tuple(ref for log in logs for ref in log.no_ib_device)
    if not (choices or devices or plugins or bootstraps or no_ib):
        return None
    return Network(choices, devices, plugins, bootstraps, no_ib, single_node(swept, comms))


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

"""Which network NCCL chose, and whether it carries anything at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from slowlink.model.edges import Edges
from slowlink.model.facts import Communicators, Network, Sweeps
from slowlink.model.nccl import LogProcess, NcclLog, NetDevice, NetworkChoice

_SOCKET = "Socket"
_NAMELESS = LogProcess(None, None)
"""Who logged lines without a prefix."""
_STARTED = ("initialized", "assigned")
"""What is said of a plug-in that works."""
_BETWEEN_NODES = "P2P/MNNVL"
"""The one path of GPUs to one another that leaves a node."""


def network(logs: Sequence[NcclLog], swept: Sweeps | None, comms: Communicators | None) -> Network | None:
    """None when no line told of the network."""
    choices = tuple(choice for log in logs for choice in log.networks)
    choices += tuple(_sockets_begun(logs, choices))
    devices = tuple(device for log in logs for device in log.net_devices)
    plugins = tuple(plugin for log in logs for plugin in log.plugins)
    bootstraps = tuple(bootstrap for log in logs for bootstrap in log.bootstraps)
    no_ib = tuple(ref for log in logs for ref in log.no_ib_device)
    if not (choices or devices or plugins or bootstraps or no_ib):
        return None
    alone = single_node(swept, comms)
    return Network(choices, devices, plugins, bootstraps, no_ib, _all_inside(logs, comms) if alone is None else alone)


def _sockets_begun(logs: Sequence[NcclLog], printed: Sequence[NetworkChoice]) -> Iterator[NetworkChoice]:
    """Sockets as the choice of each process that prints none, where it prints the interfaces of its socket transport.

    NCCL starts one network after the other (plug-ins, IB, sockets) and stops at the first that has a device, so this
    list appears only where those before had none. A sign of another network in the process outweighs it.
    """
    settled = {choice.process for choice in printed} | set(_on_another(logs))
    begun: dict[LogProcess, NetworkChoice] = {}
    for device in (device for log in logs for device in log.net_devices):
        if device.transport == _SOCKET:
            begun.setdefault(device.process, NetworkChoice(_SOCKET, device.process, device.ref))
    if settled and (_NAMELESS in begun or _NAMELESS in settled):
        return  # nobody can tell whose choice is whose
    yield from (choice for process, choice in begun.items() if process not in settled)


def _on_another(logs: Sequence[NcclLog]) -> Iterator[LogProcess]:
    """Processes that list devices of another network, start another plug-in, or have channels over one."""
    for log in logs:
        yield from (device.process for device in log.net_devices if device.transport != _SOCKET)
        started = (plugin for plugin in log.plugins if plugin.kind == "NET" and plugin.event in _STARTED)
        yield from (plugin.process for plugin in started if plugin.name != _SOCKET)
    edges = Edges.all_of(log.edges for log in logs)
    yield from edges.of(lambda kind: kind.transport.startswith("NET/") and kind.transport != f"NET/{_SOCKET}").processes


def devices_by_host(network: Network) -> dict[str, list[NetDevice]]:
    """RDMA devices that the processes of each node list; lists that were cut are left out."""
    found: dict[str, list[NetDevice]] = {}
    for device in network.devices:
        if device.transport != _SOCKET and device.process.host is not None and not device.list_cut:
            found.setdefault(device.process.host, []).append(device)
    return found


def ports(devices: Iterable[NetDevice]) -> int:
    """Physical ports; a merged device counts as often as it has members."""
    return sum({(d.name, d.port): len(d.members) or 1 for d in devices}.values())


def fewest_ports(network: Network) -> int | None:
    """Of the node that uses the fewest; None where no list names RDMA devices."""
    return min((ports(devices) for devices in devices_by_host(network).values()), default=None)


def _all_inside(logs: Sequence[NcclLog], comms: Communicators | None) -> bool | None:
    """True where paths that never leave a node join every rank with every other. An excerpt shows some ranks only."""
    edges = Edges.all_of(log.edges for log in logs)
    if comms is None or comms.nranks is None or any(kind.transport.startswith("NET") for kind in edges.kinds):
        return None
    inside = edges.of(lambda kind: kind.transport.startswith(("P2P", "SHM")) and kind.transport != _BETWEEN_NODES)
    joined = _joined_with(0, ((src, dst) for _, src, dst, _ in inside.each()))
    return True if 1 < comms.nranks == sum(rank < comms.nranks for rank in joined) else None


def _joined_with(first: int, pairs: Iterable[tuple[int, int]]) -> set[int]:
    """Ranks that any number of steps lead to."""
    peers: dict[int, set[int]] = {}
    for a, b in pairs:
        peers.setdefault(a, set()).add(b)
        peers.setdefault(b, set()).add(a)
    reached, todo = {first}, [first]
    while todo:
        new = peers.get(todo.pop(), set()) - reached
        reached |= new
        todo += new
    return reached


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

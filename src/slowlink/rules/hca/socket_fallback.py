"""NCCL runs over TCP sockets between nodes.

NCCL takes an RDMA network (NET/IB or a plug-in) when it finds one, and plain sockets otherwise, without an error. Where
it is not known that the job has several nodes, the choice of sockets alone is a warning.

Why it matters: sockets give 1 to 10 GB/s a node, an RDMA fabric 12 to 50 GB/s for every NIC.
How to confirm: ``NCCL_DEBUG=INFO`` prints ``Using network Socket`` and channels ``via NET/Socket/0``.
What to do: find out why RDMA was not taken: ``ibv_devinfo`` on every node, /dev/infiniband inside the container,
NCCL_IB_DISABLE, NCCL_IB_HCA, the fabric's plug-in (aws-ofi-nccl, cxi). ``NCCL_NET=IB`` makes NCCL fail instead of
falling back.
When it is wrong: on one node the network carries nothing, and some clusters have no RDMA network at all. So it is an
error only where some line shows that RDMA was to be expected: HCAs, InfiniBand settings, a fabric that needs a plug-in,
other ranks that use RDMA, or several nodes with GPUs of data centres. Where none does, and NCCL looked for an RDMA
device and found none, it is a warning for several nodes and a remark for what may be one; nothing is said of graphics
cards, which stand in machines with Ethernet alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.edges import Edges
from slowlink.model.facts import (
    Communicators,
    Environment,
    Hardware,
    Network,
    Observations,
    Transports,
)
from slowlink.model.nccl import NetworkChoice
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.rdma_expected import Expected, Hcas, is_plain_card, rdma_expected

CAUSES = ("socket-fallback",)

_SOCKET = "Socket"
_REMEDY = (
    (
        "See whether the node, and the container, have RDMA devices with an active port.",
        "ibv_devinfo | grep -E 'hca_id|state'",
    ),
    ("Make NCCL fail instead of falling back.", "NCCL_NET=IB"),
)


def check(
    network: Network,
    transports: Transports | None,
    communicators: Communicators | None,
    environment: Environment | None,
    observations: Observations | None,
    hardware: Hardware | None,
    hcas: Hcas | None,
) -> Iterator[Finding | Proof]:
    """One finding where sockets carry what RDMA should; a proof that names the network where it is another."""
    if network.single_node:
        return  # the network carries nothing
    over_socket = [c for c in network.choices if c.network == _SOCKET]
    between = transports.inter if transports is not None else Edges()
    edges = between.of(lambda kind: kind.transport.endswith(_SOCKET))
    if not over_socket and not edges:
        others = [c for c in network.choices if c.network != _SOCKET]
        # A start-up that no rank completed does not prove that the network works.
        if others and not _only_begun(communicators, transports):
            yield Proof(f"NCCL uses the network {others[0].network}", (line_evidence(others[0].ref),), weight=0)
        return
    expected = rdma_expected(network, environment, observations, hardware, hcas)
    if expected is not None:
        yield _finding(network, over_socket, edges, expected)
    elif over_socket and network.no_ib_device and not is_plain_card(hardware):
        yield _unexpected(network, over_socket)


def _finding(network: Network, over_socket: Sequence[NetworkChoice], edges: Edges, expected: Expected) -> Finding:
    proven = bool(edges) or network.single_node is False
    hosts = [c.process.host for c in over_socket] or [process.host for process in edges.processes]
    return finding(
        "socket-fallback",
        f"NCCL runs over TCP sockets between nodes{_interfaces(network)}{_why(network)}, although {expected.why}",
        severity="error" if proven else "warning",
        confidence="certain" if edges else "likely" if proven else "possible",
        suspects=suspects("node", hosts),
        evidence=[
            *lines_evidence((e.ref for e in edges), 1),
            *lines_evidence(network.no_ib_device, 1),
            *lines_evidence((c.ref for c in over_socket), 1),
            *lines_evidence([expected.ref] if expected.ref is not None else []),
        ],
        explains=["busbw-below-expected", "latency-high"],
        remedy=_REMEDY,
        references=[NCCL_TROUBLESHOOTING],
    )


def _unexpected(network: Network, over_socket: Sequence[NetworkChoice]) -> Finding:
    """Nothing shows another network, and NCCL found none: whether there should be one the user knows."""
    several = network.single_node is False
    return finding(
        "socket-fallback",
        f"NCCL chose TCP sockets{' between nodes' if several else ''}{_interfaces(network)}{_why(network)}, which is"
        " right only where the nodes have no RDMA network",
        severity="warning" if several else "info",
        confidence="possible",
        suspects=suspects("node", [c.process.host for c in over_socket]),
        evidence=[*lines_evidence(network.no_ib_device, 1), *lines_evidence((c.ref for c in over_socket), 1)],
        remedy=_REMEDY,
        references=[NCCL_TROUBLESHOOTING],
    )


def _only_begun(communicators: Communicators | None, transports: Transports | None) -> bool:
    """Did ranks begin to create communicators, and none get further?"""
    comms = communicators.all if communicators is not None else ()
    connected = transports is not None and bool(transports.inter or transports.intra)
    return any(c.started is not None for c in comms) and not connected and all(c.completed is None for c in comms)


def _interfaces(network: Network) -> str:
    names = list(dict.fromkeys(d.name for d in network.devices if d.transport == _SOCKET))
    return f" ({', '.join(names[:4])})" if names else ""


def _why(network: Network) -> str:
    return ": it found no RDMA device" if network.no_ib_device else ""

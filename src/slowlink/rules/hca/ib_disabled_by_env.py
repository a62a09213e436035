"""A setting turns RDMA off.

NCCL_IB_DISABLE=1 keeps NCCL from InfiniBand and RoCE, NCCL_NET=Socket makes it take TCP sockets. Both are often left
over from a test on another machine.

Why it matters: all traffic between nodes goes through the kernel's TCP stack: 1 to 10 GB/s a node instead of 12 to 50
for each NIC.
How to confirm: ``NCCL_IB_DISABLE set by environment to 1`` and ``Using network Socket`` in the log with
NCCL_DEBUG=INFO.
What to do: unset it; it may be set in the job's script, the image, ~/.nccl.conf or /etc/nccl.conf.
When it is wrong: on one node nothing goes over the network, on fabrics with a plug-in of their own (EFA, Slingshot)
the setting is part of the vendor's advice, and some clusters have no RDMA network.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Network, Transports
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV

CAUSES = ("ib-disabled-by-env",)

# Name -> the values (in lower case) that keep NCCL, or MCCL, from RDMA.
_OFF = {
    "NCCL_IB_DISABLE": ("1",),
    "MCCL_IB_DISABLE": ("1",),
    "NCCL_NET": ("socket",),
    "MCCL_NET": ("socket",),
}


def check(environment: Environment, network: Network | None, transports: Transports | None) -> Iterator[Finding]:
    """One finding; an error where sockets were used between nodes, a warning where that is not known."""
    found = [s for s in environment.settings if s.value.strip().lower() in _OFF.get(s.name, ())]
    if not found or (network is not None and network.single_node) or _other_network(network):
        return  # nothing is lost: one node, or a network other than sockets is in use all the same
    sockets = _sockets(network, transports)
    yield finding(
        "ib-disabled-by-env",
        f"{found[0].name}={found[0].value} turns RDMA off"
        + (", and NCCL uses TCP sockets between nodes" if sockets else ""),
        severity="error" if sockets else "warning",
        confidence="certain" if sockets else "likely",
        evidence=[line_evidence(found[0].ref, observed=f"{found[0].name}={found[0].value}", expected="unset")],
        suspects=(*suspects("setting", _names(found)), *suspects("node", (s.process.host for s in found))),
        explains=("socket-fallback", "gdr-disabled", "busbw-below-expected", "latency-high"),
        remedy=[("Take the setting out and run again.", command("unset", as_variable(found[0].name)))],
        references=[f"{NCCL_ENV}#nccl-ib-disable", f"{NCCL_ENV}#nccl-net"],
    )


def _names(found: list[EnvSetting]) -> list[str]:
    return [setting.name for setting in found]


def _other_network(network: Network | None) -> bool:
    """Does NCCL use a network other than sockets, such as a plug-in's, for which IB is meant to be off?"""
    chosen = {choice.network for choice in network.choices} if network is not None else set()
    return bool(chosen - {"Socket"})


def _sockets(network: Network | None, transports: Transports | None) -> bool:
    """Is it known that sockets carry data between nodes? Channels say so, or the choice in a job of several nodes."""
    if transports is not None and transports.inter:
        return any(kind.transport.startswith("NET/Socket") for kind in transports.inter.kinds)
    return network is not None and network.single_node is False and any(c.network == "Socket" for c in network.choices)

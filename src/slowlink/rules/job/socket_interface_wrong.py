"""The TCP interface for start-up is the wrong one.

NCCL starts over one TCP interface. It found none, or it chose one that leads nowhere beyond the node (docker0, lo,
virbr0, veth and the like), because nothing else was allowed or because NCCL_SOCKET_IFNAME matched it by prefix.

Why it matters: ranks of other nodes cannot connect; the start hangs or fails.
How to confirm: compare the ``Bootstrap : Using`` lines of all ranks with ``ip -br addr`` on each node.
What to do: set ``NCCL_SOCKET_IFNAME==eth0`` for exactly that interface, or ``^docker0,lo`` to leave some out.
When it is wrong: some sites route such networks on purpose; where a run follows and comes to its end, the choice is
only a warning. On one node any interface will do, and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Environment, Network, Sweeps, Warnings
from slowlink.model.nccl import Bootstrap
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.commands import as_interface, export
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    at_hosts,
    groups_of,
    hosts_of,
    listed,
    overcome,
    refs_of,
    warned,
)

CAUSES = ("socket-interface-wrong",)

_LOCAL = regex(r"(?:docker\d|lo$|virbr\d|lxcbr\d|lxdbr\d|cni\d|br-[0-9a-f]|veth|podman\d)")
"""Interfaces of containers, virtual machines and the node itself."""
_VARIABLES = ("NCCL_SOCKET_IFNAME", "MCCL_SOCKET_IFNAME")
_REMEDY = [
    ("List the interfaces of each node.", "ip -br addr"),
    ("Name the one that all nodes share.", export("NCCL_SOCKET_IFNAME", f"={as_interface(None)}")),
]


def check(
    warnings: Warnings | None, network: Network | None, environment: Environment | None, sweeps: Sweeps | None
) -> Iterator[Finding]:
    """One finding for nodes without an interface, and one for those that chose one which leads nowhere."""
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name in _VARIABLES]
    given = f" ({settings[0].name}={settings[0].value})" if settings else ""
    none = warned(warnings, "no-socket-interface", "ib-no-ip-interface")
    if none:
        yield finding(
            "socket-interface-wrong",
            f"{at_hosts(hosts_of(none))}NCCL finds no network interface for start-up{given}",
            severity="critical",
            confidence="certain",
            evidence=(*lines_evidence(refs_of(none)), *(line_evidence(s.ref) for s in settings[:1])),
            suspects=(*suspects("node", hosts_of(none)), *suspects("setting", (s.name for s in settings))),
            explains=("tcp-unreachable", *FAILED_RUN),
            remedy=_REMEDY,
            references=[f"{NCCL_ENV}#nccl-socket-ifname"],
        )
    local = [b for b in (network.bootstraps if network is not None else ()) if _LOCAL.match(b.interface)]
    met = {peer.partition("<")[0] for peer in groups_of(warned(warnings, "connect-failed"), "peer")}
    met &= {bootstrap.address.partition("<")[0] for bootstrap in local}  # a peer gave an address of this node's own
    if local and network is not None and (met or _several_nodes(network)):
        yield _wrong(local, given, overcome([b.ref for b in local], sweeps))


def _several_nodes(network: Network) -> bool:
    if network.single_node is None:
        return len({b.process.host for b in network.bootstraps if b.process.host}) > 1
    return not network.single_node


def _wrong(chosen: Sequence[Bootstrap], given: str, ran: bool) -> Finding:
    names = list(dict.fromkeys(bootstrap.interface for bootstrap in chosen))
    hosts = list(dict.fromkeys(b.process.host for b in chosen if b.process.host))
    by_address: dict[str, set[str]] = {}
    for bootstrap in chosen:
        by_address.setdefault(bootstrap.address.partition("<")[0], set()).add(bootstrap.process.host or "")
    shared = next((address for address, of in by_address.items() if len(of) > 1), "")
    both = f": {shared} is an address of each of them" if shared else ", which usually leads nowhere beyond the node"
    return finding(
        "socket-interface-wrong",
        f"{at_hosts(hosts)}NCCL starts over {listed(names)}{given}{both}",
        severity="warning" if ran else "error",
        confidence="possible" if ran else "likely",
        evidence=lines_evidence(bootstrap.ref for bootstrap in chosen),
        suspects=suspects("node", hosts),
        explains=() if ran else ("tcp-unreachable", *FAILED_RUN),
        remedy=_REMEDY,
        references=[f"{NCCL_ENV}#nccl-socket-ifname"],
    )

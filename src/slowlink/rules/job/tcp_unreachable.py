"""Ranks cannot reach one another over TCP.

NCCL starts over TCP, whatever network it uses afterwards: each rank connects to rank 0 and to its neighbours on the
interface that NCCL chose. A connection was refused, timed out, or had no route.

Why it matters: the communicator is never created.
How to confirm: compare the ``Bootstrap : Using`` lines of all ranks: they must be on one network. On the node that
failed, try ``nc -vz ADDRESS PORT``.
What to do: open the nodes' ephemeral ports to one another. Choose the interface that all nodes share with
NCCL_SOCKET_IFNAME (``=bond0`` for exactly that one, ``^docker0,lo`` to leave some out).
When it is wrong: a connection is also refused or broken when the peer has died or has not started yet; a rank that is
seen to have failed before explains it. Where no line is NCCL's, Open MPI's or PyTorch's own, the connection may have
been another service's, and the finding is a warning. Where a run follows and comes to its end nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_address, command, export
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV, NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    at_hosts,
    groups_of,
    happened,
    hosts_of,
    listed,
    overcome,
    refs_of,
    reported,
)

CAUSES = ("tcp-unreachable",)

_MESSAGES = ("connect-failed", "ompi-tcp-unreachable", "torch-store-timeout", "torch-rendezvous-failed")
_ANY_PROGRAM = ("connection-refused", "no-route")
"""Messages that any program prints: it may have been some other service's connection."""
_PEER_GONE = ("refused", "reset", "connection abort", "broken pipe", "closed")
"""Words of the operating system's error where the node answered, but nobody listens there any more, or yet."""


def check(warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all connections that failed."""
    named = reported(warnings, events, *_MESSAGES)
    found = named or happened(events, *_ANY_PROGRAM)
    if not found or overcome(refs_of(found), sweeps):
        return  # tried again, and with success
    peers = tuple(peer.split("<")[0] for peer in groups_of(found, "peer"))
    reasons = tuple(
        dict.fromkeys(reason.lower() for name in ("error", "returned") for reason in groups_of(found, name))
    )
    refused = bool(reasons) and all(any(word in reason for word in _PEER_GONE) for reason in reasons)
    hosts = hosts_of(found)
    yield finding(
        "tcp-unreachable",
        f"{at_hosts(hosts)}cannot connect to {listed(tuple(dict.fromkeys(peers))) or 'another rank'} over TCP"
        + (f" ({listed(reasons)})" if reasons else "")
        + (": the peer is not there, or a firewall refuses" if refused else ""),
        severity="critical" if named else "warning",
        confidence="possible" if refused or not named else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("node", hosts), *suspects("link", peers)),
        explains=FAILED_RUN if named else (),
        remedy=[
            (
                "Try the same connection by hand from the node that failed.",
                command("nc", "-vz", "--", as_address(next(iter(peers), None)), "PORT"),
            ),
            ("Choose the interface that all nodes share.", export("NCCL_SOCKET_IFNAME", "=bond0")),
        ],
        references=[f"{NCCL_ENV}#nccl-socket-ifname", NCCL_TROUBLESHOOTING],
    )

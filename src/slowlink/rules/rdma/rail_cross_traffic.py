"""Ranks talk across rails that are not connected.

Two queue pairs could not be connected: the HCA did not find the other one's address (modify_qp timed out, or there is
no route). On a fabric whose rails are separate networks, or with direct cables, this happens when NCCL connects an HCA
of one rail with one of another. A wrong GID gives the same error: where both ends are on one subnet, gid-index-wrong
reports it. NCCL's own note that a connection crosses rails is a warning.

Why it matters: the communicator is not created.
How to confirm: ``ping -I INTERFACE PEER`` from the local address to the remote one that the message names.
What to do: set ``NCCL_CROSS_NIC=0`` and the same order of NCCL_IB_HCA on all nodes, or add routes between the rails.
When it is wrong: a firewall, a missing VLAN or a port that is down causes the same time-out within one rail.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP, NCCL_ENV
from slowlink.rules.evidence.messages import (
    BROKEN_PATH,
    at_hosts,
    counted,
    groups_of,
    hosts_of,
    listed,
    overcome,
    refs_of,
    times_printed,
    warned,
)
from slowlink.rules.rdma.queue_pairs import on_different_subnets, unanswered

CAUSES = ("rail-cross-traffic",)

_OWN_RAIL = ("Keep each ring on its own rail.", export("NCCL_CROSS_NIC", "0"))


def check(warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """Queue pairs that got no answer from another subnet, and NCCL's own note on mismatched devices."""
    found = tuple(message for message in unanswered(warnings, events) if on_different_subnets(message) is not False)
    if found and not overcome(refs_of(found), sweeps):
        proven = any(on_different_subnets(message) for message in found)
        hosts, hcas = hosts_of(found), groups_of(found, "hca")
        yield finding(
            "rail-cross-traffic",
            f"{at_hosts(hosts)}{counted(times_printed(found), 'queue pair')} got no answer from the other HCA"
            + (f" ({listed(hcas)})" if hcas else "")
            + (": the two are on different subnets" if proven else ": no path between the two rails, or a wrong GID"),
            severity="critical",
            confidence="likely" if proven else "possible",
            evidence=lines_evidence(refs_of(found)),
            suspects=(*suspects("hca", hcas), *suspects("node", hosts)),
            explains=(*BROKEN_PATH, "tcp-unreachable") if proven else BROKEN_PATH,  # no ping gets across, either
            remedy=[
                _OWN_RAIL,
                (
                    "See whether the two addresses reach each other; if they do, the GID index is wrong.",
                    "ping -I LOCAL REMOTE",
                ),
            ],
            references=[IBV_MODIFY_QP, f"{NCCL_ENV}#nccl-cross-nic"],
        )
    mixed = warned(warnings, "ib-cross-rail")
    if mixed:
        yield finding(
            "rail-cross-traffic",
            f"{at_hosts(hosts_of(mixed))}connections go across rails: from {listed(groups_of(mixed, 'local'))} "
            f"to {listed(groups_of(mixed, 'remote'))}",
            severity="warning",
            confidence="likely",
            evidence=lines_evidence(refs_of(mixed)),
            suspects=suspects("hca", groups_of(mixed, "local")),
            explains=("busbw-below-expected",),
            remedy=[_OWN_RAIL],
            references=[f"{NCCL_ENV}#nccl-cross-nic"],
        )

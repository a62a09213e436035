"""The RoCE GID index is wrong for this fabric.

On RoCE an HCA has several addresses (GIDs): link-local ones, and one for each IP address and RoCE version. A link-local
GID reaches nothing beyond its Ethernet segment; an index that is empty or of another version cannot connect at all, nor
one that is an IPv4 address on one node and an IPv6 address on the other.
Connections failed here, and their GIDs or errors point to that. A queue pair that got no answer, with GIDs of one
subnet or unknown ones, is only a possibility.

Why it matters: start-up works because it uses TCP; then the queue pair is refused or the first transfer times out.
How to confirm: ``show_gids`` on both nodes: the index in use must be the RoCE v2 entry with the interface's IPv4
address.
What to do: unset NCCL_IB_GID_INDEX and let NCCL >= 2.21 choose, or set it to that entry; it must be the same on all
nodes.
When it is wrong: on InfiniBand fe80:: is the default subnet, and a time-out there has another cause. If the GIDs of
both ends are correct, check the VLAN, the route, and whether RoCE is lossless on the way.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Events, Network, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP, NCCL_ENV
from slowlink.rules.evidence.messages import (
    BROKEN_PATH,
    FAILED_RUN,
    at_hosts,
    groups_of,
    hosts_of,
    listed,
    overcome,
    refs_of,
)
from slowlink.rules.evidence.rdma_completions import RETRY, completions
from slowlink.rules.rdma.queue_pairs import (
    INVALID,
    errno_of,
    failed_connections,
    link_local,
    of_different_kinds,
    on_different_subnets,
    roce_link_local,
    unanswered,
)
from slowlink.rules.rdma.roce_gids import CHOOSE_GID, GID_INDEX

CAUSES = ("gid-index-wrong",)


def check(
    warnings: Warnings | None,
    events: Events | None,
    environment: Environment | None,
    sweeps: Sweeps | None,
    network: Network | None,
) -> Iterator[Finding]:
    """Queue pairs and transfers whose GIDs cannot work, the surest reason first."""
    retried = completions(warnings, events, RETRY)
    local = (
        *(m for m in failed_connections(warnings, events) if link_local(m)),
        *(m for m in retried if roce_link_local(m, network)),
    )
    mixed = tuple(m for m in (*failed_connections(warnings, events), *retried) if of_different_kinds(m))
    invalid = tuple(m for m in failed_connections(warnings, events) if errno_of(m) == INVALID)
    silent = tuple(m for m in unanswered(warnings, events) if not on_different_subnets(m) and not link_local(m))
    found = local or mixed or invalid or silent
    if not found or overcome(refs_of(found), sweeps):
        return  # nothing failed that a GID explains, or a run followed and came to its end
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name == GID_INDEX]
    if local:
        what = "a link-local GID (fe80::) is in use, which reaches no other subnet"
    elif mixed:
        what = "one end uses an IPv4 address and the other an IPv6 one: the GID index means another GID on each node"
    elif invalid:
        what = "a queue pair was refused as invalid: the GID index is empty or of another kind than the peer's"
    else:
        what = "a queue pair got no answer from the other HCA: its GID may be the wrong one"
    sure = bool(local or mixed or invalid)
    yield finding(
        "gid-index-wrong",
        f"{at_hosts(hosts_of(found))}{what}"
        + (f" ({GID_INDEX}={listed(list(dict.fromkeys(s.value for s in settings)))})" if settings else ""),
        severity="critical",
        confidence="likely" if sure else "possible",
        evidence=(*lines_evidence(refs_of(found)), *(line_evidence(s.ref) for s in settings[:1])),
        suspects=(*suspects("hca", groups_of(found, "hca")), *suspects("setting", [GID_INDEX] if settings else [])),
        explains=BROKEN_PATH if sure else FAILED_RUN,  # a guess explains no other error of the path
        remedy=CHOOSE_GID,
        references=[f"{NCCL_ENV}#nccl-ib-gid-index", IBV_MODIFY_QP],
    )

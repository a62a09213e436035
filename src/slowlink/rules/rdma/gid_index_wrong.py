"""The RoCE GID index is wrong for this fabric.

On RoCE an HCA has several addresses (GIDs): link-local ones, and one for each IP address and RoCE version. A
connection that uses a link-local GID, or an index that is empty or of the wrong version, does not reach beyond its
switch, or cannot be made at all.

Why it matters: start-up works, for it goes over TCP; then the first transfer times out or the queue pair is refused.
How to confirm: ``show_gids`` on both nodes: the index in use must be the RoCE v2 entry with the interface's IPv4
address.
What to do: unset NCCL_IB_GID_INDEX and let NCCL >= 2.21 choose, or set it to that entry; it must be the same on all
nodes.
When it is wrong: on InfiniBand fe80:: is the default subnet, and a time-out there has another cause. With correct GIDs
at both ends look for the VLAN, the route or the lossless set-up instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Environment, Events, Network, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_MODIFY_QP, NCCL_ENV
from slowlink.rules.evidence.messages import BROKEN_PATH, at_hosts, groups_of, hosts_of, listed, overcome, refs_of
from slowlink.rules.evidence.rdma_completions import RETRY, completions
from slowlink.rules.rdma.queue_pairs import INVALID, apart, errno_of, failed, link_local, roce_link_local, unanswered

CAUSES = ("gid-index-wrong",)

_NAME = "NCCL_IB_GID_INDEX"


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
        *(m for m in failed(warnings, events) if link_local(m)),
        *(m for m in retried if roce_link_local(m, network)),
    )
    invalid = tuple(m for m in failed(warnings, events) if errno_of(m) == INVALID)
    silent = tuple(
        m for m in unanswered(warnings, events) if apart(m) is None or (apart(m) is False and not link_local(m))
    )
    found = local or invalid or silent
    if not found or overcome(refs_of(found), sweeps):
        return
    settings = [s for s in (environment.settings if environment is not None else ()) if s.name == _NAME]
    if local:
        what = "a link-local GID (fe80::) is in use, which reaches no other subnet"
    elif invalid:
        what = "a queue pair was refused as invalid: the GID index is empty or of another kind than the peer's"
    else:
        what = "a queue pair got no answer from the other HCA: its GID may be the wrong one"
    yield finding(
        "gid-index-wrong",
        f"{at_hosts(hosts_of(found))}{what}"
        + (f" ({_NAME}={listed([s.value for s in settings])})" if settings else ""),
        severity="critical",
        confidence="likely" if local or invalid else "possible",
        evidence=(*lines_evidence(refs_of(found)), *(line_evidence(s.ref) for s in settings[:1])),
        suspects=(*suspects("hca", groups_of(found, "hca")), *suspects("setting", [_NAME] if settings else [])),
        explains=BROKEN_PATH if local or invalid else FAILED_PATH,
        remedy=[
            ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
            ("Let NCCL choose it.", f"unset {_NAME}"),
        ],
        references=[f"{NCCL_ENV}#nccl-ib-gid-index", IBV_MODIFY_QP],
    )


FAILED_PATH = BROKEN_PATH[1:]
"""A guess explains the failed run, not other errors of the path."""

"""Which node takes how many ranks."""

from __future__ import annotations

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.model.plan import Allocation, Node, RankJob


class Share(Struct, frozen=True):
    """Ranks of one node; nodes are filled one after another, so rank numbers are consecutive on a node."""

    node: Node
    ranks: int


def lay_out(job: RankJob, allocation: Allocation) -> tuple[Share, ...]:
    """Fills the first nodes with ``ranks_per_node`` ranks each; the last may take fewer.

    Raises SlowlinkError for no ranks, too few nodes (``too-few-nodes``) and too few slots (``no-slots``).
    """
    if job.nranks < 1 or job.ranks_per_node < 1:
        raise SlowlinkError(
            f"{job.nranks} ranks with {job.ranks_per_node} on each node cannot be started",
            hint="both must be at least 1",
            slug="no-ranks",
        )
    if not allocation.nodes:
        raise SlowlinkError(
            f"no nodes: {allocation.basis} names none", hint="give --nodes node[01-04]", slug="no-nodes"
        )
    needed = -(-job.nranks // job.ranks_per_node)
    if needed > len(allocation.nodes):
        raise SlowlinkError(
            f"{job.nranks} ranks at {job.ranks_per_node} a node need {needed} nodes; "
            f"{allocation.basis} gives {len(allocation.nodes)}",
            hint="ask for fewer ranks, more ranks on each node, or more nodes",
            slug="too-few-nodes",
        )
    shares = []
    left = job.nranks
    for node in allocation.nodes[:needed]:
        ranks = min(left, job.ranks_per_node)
        left -= ranks
        if node.slots is not None and ranks > node.slots:
            raise SlowlinkError(
                f"{node.name} has {_slots(node.slots)} ({allocation.basis}); {ranks} ranks do not fit",
                hint=f"ask for at most {max(node.slots, 1)} ranks on each node, or give the node more slots",
                slug="no-slots",
            )
        shares.append(Share(node, ranks))
    return tuple(shares)


def in_words(shares: tuple[Share, ...]) -> str:
    """``8 ranks: 4 on each of 2 nodes``."""
    total = sum(share.ranks for share in shares)
    counts = sorted({share.ranks for share in shares}, reverse=True)
    nodes = "1 node" if len(shares) == 1 else f"{len(shares)} nodes"
    if len(counts) == 1:
        return f"{total} ranks on 1 node" if len(shares) == 1 else f"{total} ranks: {counts[0]} on each of {nodes}"
    return f"{total} ranks on {nodes}: {counts[0]} on each, {shares[-1].ranks} on the last"


def _slots(count: int) -> str:
    return "1 slot" if count == 1 else f"{count} slots"

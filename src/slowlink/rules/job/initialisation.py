"""Every rank came up, and reaches the others the way it should.

NCCL prints START and COMPLETE for each rank of a communicator. When all of them completed, the job is past its
start-up;
when the channels then go peer to peer inside nodes and over RDMA with GPUDirect between them, nothing visible in
the log holds it back.

Why it matters: it clears start-up, bootstrap and transport at once. It says nothing about the bandwidth reached.
How to confirm: measure: all_reduce_perf over the same ranks.
What to do: nothing.
When it is wrong: old versions print no START line, so a rank that never came up is only missed by its absence.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.facts.transports import receiving
from slowlink.model.facts import Communicators, Transports
from slowlink.rules.evidence.findings import Proof, line_evidence

CAUSES = ()


def check(communicators: Communicators, transports: Transports) -> Iterator[Proof]:
    """Proof only where every rank of the largest communicator completed and no edge takes a detour."""
    largest = [c for c in communicators.all if c.nranks == communicators.nranks]
    done = {c.rank for c in largest if c.completed is not None}
    if communicators.nranks is None or communicators.nranks < 2 or len(done) < communicators.nranks:
        return
    staged = [edge for edge in receiving(transports.inter) if edge.gdr is not True]
    through_host = [edge for edge in transports.intra if not edge.transport.startswith("P2P")]
    if staged or through_host:
        return
    between = " and over RDMA with GPUDirect between nodes" if transports.inter else ""
    last = max((c.completed for c in largest if c.completed is not None), key=lambda ref: ref.line)
    yield Proof(
        f"all {communicators.nranks} ranks came up and talk peer to peer{between}, which says nothing about bandwidth",
        (line_evidence(last),),
        weight=1,
    )

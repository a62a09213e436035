"""Every rank came up, and reaches the others the way it should.

NCCL prints a COMPLETE line for each rank of a communicator. When every rank of the largest communicator has one, the
job is past its start-up. When all channels then go peer to peer inside nodes, and over RDMA with GPUDirect between
them, nothing that the log shows holds it back.

Why it matters: it clears start-up, bootstrap and transport at once. It says nothing about the bandwidth reached.
How to confirm: measure with all_reduce_perf over the same ranks.
What to do: nothing.
When it is wrong: smaller communicators, which frameworks create later, are not looked at; one of them may still fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.facts.transports import receiving
from slowlink.model.facts import Communicators, Transports
from slowlink.rules.evidence.findings import Proof, line_evidence

CAUSES = ()


def check(communicators: Communicators, transports: Transports) -> Iterator[Proof]:
    """A proof where every rank of the largest communicator (two or more) completed and no channel takes a detour."""
    largest = [c for c in communicators.all if c.nranks == communicators.nranks]
    done = {c.rank for c in largest if c.completed is not None}
    if communicators.nranks is None or communicators.nranks < 2 or len(done) < communicators.nranks:
        return  # nobody to talk to, or a rank without its line: rank-stuck and others judge that
    staged = any(kind.gdr is not True for kind in receiving(transports.inter).kinds)
    through_host = any(not kind.transport.startswith("P2P") for kind in transports.intra.kinds)
    if staged or through_host:
        return  # a detour may be a setting or a fault; the rules about GPUDirect and links say which
    between = " and over RDMA with GPUDirect between nodes" if transports.inter else ""
    last = max((c.completed for c in largest if c.completed is not None), key=lambda ref: ref.line)
    yield Proof(
        f"all {communicators.nranks} ranks came up and talk peer to peer{between}, which says nothing about bandwidth",
        (line_evidence(last),),
        weight=0,
    )

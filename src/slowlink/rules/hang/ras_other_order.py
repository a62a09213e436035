"""One answer of NCCL's RAS shows a rank behind the others in one collective and ahead in another.

RAS counts the operations that each rank has launched, by collective. It asks one rank after another, so a rank may be
behind in all of them, or ahead in all of them, for a moment. No moment gives both at once: on one communicator this
rank launches its collectives in another order, or others.

Why it matters: ranks that do not launch the same collectives in the same order wait for one another for ever, or
exchange the wrong data.
How to confirm: the flight recorders of this rank and of another (TORCH_NCCL_DUMP_ON_TIMEOUT), or
NCCL_DEBUG_SUBSYS=COLL.
What to do: look for a branch that depends on data or on the rank: uneven batches, a conditional gather, an early stop.
When it is wrong: several threads launch on one communicator, and RAS met them between two launches.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.hang import Ras, RasCommunicator, RasMismatch, RasProcess, RasShare
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.hang.flight_phrases import rank_names

CAUSES = ("collective-mismatch",)


def check(ras: Ras) -> Iterator[Finding]:
    """One finding for each communicator of the newest answers."""
    for job in ras.jobs:
        for communicator in job.newest.communicators:
            yield from _of_communicator(communicator)


def _of_communicator(communicator: RasCommunicator) -> Iterator[Finding]:
    behind: dict[int, tuple[RasMismatch, RasProcess]] = {}
    ahead: dict[int, tuple[RasMismatch, RasProcess]] = {}
    for mismatch in communicator.mismatches:
        if mismatch.kind != "operations" or mismatch.collective is None or not mismatch.shares:
            continue
        most = max(mismatch.shares, key=lambda share: share.ranks)
        for share in mismatch.shares:
            side = ahead if _count(share) > _count(most) else behind
            for process in share.members if share is not most else ():
                if process.rank is not None:
                    side.setdefault(process.rank, (mismatch, process))
    both = sorted(behind.keys() & ahead.keys())
    if both:
        yield _finding(both, behind[both[0]][0], ahead[both[0]][0], [behind[rank][1] for rank in both])


def _count(share: RasShare) -> int:
    """How far its ranks came; -1 where they launched nothing."""
    return -1 if share.operation is None else share.operation


def _finding(ranks: list[int], less: RasMismatch, more: RasMismatch, members: list[RasProcess]) -> Finding:
    verb = "is" if len(ranks) == 1 else "are"
    return finding(
        "collective-mismatch",
        f"{rank_names(ranks)} {verb} behind the others in {less.collective} and ahead of them in {more.collective}: "
        "other collectives, or in another order, on one communicator",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence((less.ref, more.ref, *(process.ref for process in members[:2]))),
        suspects=(*suspects("rank", map(str, ranks)), *suspects("node", (process.host for process in members))),
        explains=("rank-stuck", "rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[
            ("Look for a branch around collectives that depends on data or on the rank.", ""),
            ("Compare what the ranks launch.", "torchfrtrace DIR -j"),
        ],
        references=[NCCL_RAS],
    )

"""Two answers of NCCL's RAS show the same ranks behind, at the same operations.

RAS counts the operations that each rank has launched. Ranks that differ by one are normal for a moment, since RAS asks
them one after another. When a later answer shows the same counts again, the ranks ahead wait, and those behind do not
come.

Why it matters: the job hangs, and nothing else says so before a time-out of half an hour.
How to confirm: ask once more (``ncclras -v``); read the stack of a process that is behind (``py-spy dump --pid PID``).
What to do: fix what that stack shows: a slow data loader, a checkpoint, a branch that only some ranks take. When all
stacks are in the same collective, look for Xid on the nodes of the ranks behind.
When it is wrong: two answers within seconds of one another say little, while a very large operation runs or the job
does something other than communicate. A minute between them is enough (docs/hangs.md, "What to keep").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.model.facts import Observations
from slowlink.model.hang import Ras, RasShare, StuckMismatch
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import READ_STACK, SEE_GPU_FAULTS
from slowlink.rules.hang.stacks import doing, stacks_by_process, stacks_of

CAUSES = ("rank-stuck",)


def check(ras: Ras, observations: Observations | None) -> Iterator[Finding]:
    """One finding for each communicator and collective whose counts stay as they were."""
    for job in ras.jobs:
        for stuck in job.stuck:
            yield _finding(stuck, stacks_by_process(observations))


def _finding(stuck: StuckMismatch, stacks: Mapping[int, Observation]) -> Finding:
    members = [process for share in stuck.behind for process in share.members]
    ranks = sorted({process.rank for process in members if process.rank is not None})
    count = sum(share.ranks for share in stuck.behind)
    who = rank_names(ranks) if ranks and len(ranks) == count else counted(count, "rank")
    what = stuck.collective or "operation"
    seen = stacks_of(members, stacks)
    does = f"; {doing(seen)}" if seen else ""
    return finding(
        "rank-stuck",
        f"{who} of communicator {stuck.communicator} {'stays' if count == 1 else 'stay'} at {what} "
        f"{_last_launched(stuck.behind[-1])} while {counted(stuck.ahead.ranks, 'other waits', 'others wait')} at "
        f"{_last_launched(stuck.ahead)}: two answers of RAS show no progress{does}",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(
            (stuck.last, *(process.ref for process in members), stuck.first, *(each.ref for each in seen)), 5
        ),
        suspects=(*suspects("rank", map(str, ranks)), *suspects("node", (process.host for process in members))),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[READ_STACK, SEE_GPU_FAULTS],
        references=[NCCL_RAS],
    )


def _last_launched(share: RasShare) -> str:
    """The number of the last operation that these ranks launched; 0 for none."""
    return "0" if share.operation is None else str(share.operation)

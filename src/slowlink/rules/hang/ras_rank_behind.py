"""One answer of NCCL's RAS shows ranks behind the others, and perhaps a stack says what they do.

RAS counts the operations that each rank has launched. A host launches ahead of its GPU, and RAS asks one rank after
another, so that a few ranks differ by one is what any running job shows. A dump of the very process that is behind
(``py-spy dump``) tells more: when its main thread reads data, writes a checkpoint or stands in a debugger, that is why
it does not come.

Why it matters: where the job stands still, all others wait for these ranks, with their GPUs shown as busy.
How to confirm: ask RAS once more a minute later: ranks that are still behind at the same operation hold up the job.
Take their stack twice.
What to do: what the stack shows: the file or the storage that is read, the checkpoint's file system, the branch that
only this rank takes.
When it is wrong: the job runs, and RAS met it between two operations. Without a stack, a second answer or somebody who
says that the job hangs it is only possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slowlink.model.facts import Observations
from slowlink.model.hang import Ras, RasJob, RasMismatch, RasProcess, RasShare
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.parsers.complaints.told_trouble import KIND as TROUBLE_TOLD
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import READ_STACK
from slowlink.rules.hang.stacks import doing, keeps_away, stacks_by_process, stacks_of

CAUSES = ("rank-stuck",)

_ASK_AGAIN = Step(
    "Ask RAS again a minute later, and see whether the same ranks stand at the same operation.", "ncclras -v"
)


def check(ras: Ras, observations: Observations | None) -> Iterator[Finding]:
    """One finding for each communicator of the newest answer of which the smaller part is behind; none for those
    that two answers compare, and for a job that moved between two."""
    stacks = stacks_by_process(observations)
    told = [
        seen
        for seen in (observations.all if observations is not None else ())
        if seen.kind == TROUBLE_TOLD and seen.value == "hanging"
    ]
    for job in ras.jobs:
        if not job.moved:
            yield from _of_job(job, stacks, told)


def _of_job(job: RasJob, stacks: Mapping[int, Observation], told: Sequence[Observation]) -> Iterator[Finding]:
    known = {stuck.communicator for stuck in job.stuck}
    for communicator in job.newest.communicators:
        for mismatch in communicator.mismatches:
            behind = _behind(mismatch)
            if behind and communicator.hash not in known:
                yield _finding(mismatch, behind, stacks, told)
                break  # of a communicator, the first collective that differs


def _behind(mismatch: RasMismatch) -> Sequence[RasShare]:
    """Shares below the largest count, where they are the smaller part and RAS names them."""
    if mismatch.kind != "operations" or len(mismatch.shares) < 2:
        return ()
    ahead, *behind = sorted(mismatch.shares, key=_count, reverse=True)
    few = sum(share.ranks for share in behind) < ahead.ranks
    return behind if few and any(share.members for share in behind) else ()


def _count(share: RasShare) -> int:
    """How far its ranks came; -1 where they launched nothing."""
    return -1 if share.operation is None else share.operation


def _finding(
    mismatch: RasMismatch,
    behind: Sequence[RasShare],
    stacks: Mapping[int, Observation],
    told: Sequence[Observation],
) -> Finding:
    members = [process for share in behind for process in share.members]
    ranks = sorted({process.rank for process in members if process.rank is not None})
    seen = stacks_of(members, stacks)
    sure = keeps_away(seen) or (bool(told) and not seen)
    why = doing(seen) or ("somebody says that it hangs" if told else "one answer of RAS is a moment")
    number = sum(share.ranks for share in behind)
    ahead = max(mismatch.shares, key=_count)
    message = (
        f"{rank_names(ranks) if ranks and len(ranks) == number else counted(number, 'rank')}{_where(members)} "
        f"{'is' if number == 1 else 'are'} behind: {mismatch.collective or 'operation'} {_last(behind[-1])} while "
        f"{counted(ahead.ranks, 'other has', 'others have')} launched {_last(ahead)}"
    )
    return finding(
        "rank-stuck",
        f"{message}; {why}",
        severity="critical" if sure else "warning",
        confidence="likely" if sure else "possible",
        evidence=lines_evidence(
            (mismatch.ref, *(p.ref for p in members[:3]), *(each.ref for each in (*seen, *told)[:2]))
        ),
        suspects=(
            *suspects("rank", map(str, ranks)),
            *suspects("process", (str(process.pid) for process in members if process.pid is not None)),
            *suspects("node", (process.host for process in members)),
        ),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit") if sure else (),
        remedy=[_ASK_AGAIN] if seen else [_ASK_AGAIN, READ_STACK],
        references=[NCCL_RAS],
    )


def _where(members: Sequence[RasProcess]) -> str:
    """The GPU, process and node of the one rank that is behind."""
    if len(members) != 1 or members[0].pid is None:
        return ""
    one = members[0]
    return f" (GPU {one.gpus}, process {one.pid} on {one.host})"


def _last(share: RasShare) -> str:
    return "0" if share.operation is None else str(share.operation)

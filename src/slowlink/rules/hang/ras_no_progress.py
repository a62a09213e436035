"""Two answers of NCCL's RAS show that no rank of a job has launched any collective between them.

RAS counts the collectives that each rank has launched. Where all counts are alike and none grows, either all ranks wait
in the same collective, or the job does something else: it computes for long, saves a checkpoint, or waits for data.

Why it matters: a job whose network fails below a collective looks like this, and every rank in it looks alike.
How to confirm: ask again a minute later; where the counts still do not grow, read the stack of any rank
(``py-spy dump``): one that stands in a synchronisation with its GPU waits in the collective.
What to do: where all wait in it, test the same nodes with ``slowlink isolate``, and look for Xid and link errors there.
When it is wrong: operations that are replayed from CUDA graphs are not counted, so a job that runs from graphs alone
shows the same. A long step between two answers does, too: it is only possible.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.hang import Ras, RasJob
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, lines_evidence
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.remedies import READ_STACK

CAUSES = ("rank-stuck",)

_ASK_AGAIN = Step("Ask again, with more time between the two answers.", "slowlink attach --between 120")


def check(ras: Ras) -> Iterator[Finding]:
    """One finding for each job of which no communicator went on and none has ranks that differ."""
    for job in ras.jobs:
        differ = any(each.mismatches or each.errors for each in job.newest.communicators)
        if job.still and not job.moved and not job.stuck and not differ:
            yield _finding(job)


def _finding(job: RasJob) -> Finding:
    ranks = max(len(each.launched) for each in job.still)
    apart = f" that lie {job.seconds:.0f} s apart" if job.seconds is not None else ""
    return finding(
        "rank-stuck",
        f"no rank launched a collective between two answers of RAS{apart}: all {counted(ranks, 'rank')} wait in the "
        "same one, or the job computes, saves or loads meanwhile",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence([each.ref for each in job.still], 3),
        remedy=[_ASK_AGAIN, READ_STACK],
        references=[NCCL_RAS],
    )

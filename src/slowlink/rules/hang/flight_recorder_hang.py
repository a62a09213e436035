"""Flight recorders show which ranks the others wait for.

PyTorch records the last operations of every rank: enqueued, started, completed. Each rank that hangs is blocked in its
oldest unfinished operation. That operation lacks the ranks that have not called it, and those that are blocked in
something older. Followed to the end, across all process groups, this leads to the ranks that wait for nobody
(docs/hangs.md, "How the guilty rank is found").

Why it matters: all others report time-outs, and most of them wait only for a rank that waits itself.
How to confirm: a rank that did not call the operation is still in its program, and its stack says where (``py-spy dump
--pid PID``, ``gdb -p PID``). A rank that called it and does not go on has a GPU or a driver that does not: ``dmesg -T |
grep Xid`` and ``nvidia-smi -q`` on its node show that.
What to do: fix what the stack, the kernel's log or the end of that rank's own output shows; drain its node if it is
the GPU.
When it is wrong: dumps that were asked for while the job ran show the same picture for a moment. Dump twice: what
hangs stays, and ranks that have gone on between two dumps are not reported. A rank with nothing under way may have
been there already; that is possible only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.hang import Blocked, Flights, FlightSet, Injected
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.flight_phrases import (
    entry_name,
    evidence_of_blocked,
    evidence_of_wait,
    leading_wait,
    operation_name,
    rank_names,
)
from slowlink.rules.hang.remedies import READ_STACK, SEE_GPU_FAULTS

CAUSES = ("rank-stuck",)

_MOST_EVIDENCE = 4


def check(flights: Flights, injected: Injected | None) -> Iterator[Finding]:
    """One finding a job: ranks that did not come, and ranks that came and do not go on.

    Ranks without a dump ('silent') are flight-recorder-lost's.
    """
    for found in flights.all:
        here = [each for each in found.blocked if each.reason != "silent"]
        if here and not found.moved:
            yield _stuck(found, here, injected)


def _stuck(found: FlightSet, guilty: Sequence[Blocked], injected: Injected | None) -> Finding:
    ranks = [each.rank for each in guilty]
    of_guilty = {*ranks}
    absent = all(each.reason == "absent" for each in guilty)
    evidence = [evidence_of_blocked(found, each) for each in guilty[:_MOST_EVIDENCE]]
    wait = leading_wait(guilty)
    if wait is not None:
        evidence.append(evidence_of_wait(found, wait))
    unknown = [rank for rank in (wait.unknown if wait is not None else ()) if rank not in of_guilty]
    known = [note for note in (injected.all if injected is not None else ()) if not of_guilty.isdisjoint(note.ranks)]
    evidence += lines_evidence((note.ref for note in known), 2)
    besides = f"; no dump tells of {rank_names(unknown)}" if unknown else ""
    besides += "; a fault was injected there on purpose" if known else ""
    return finding(
        "rank-stuck",
        _sentence(found, guilty) + besides,
        severity="critical",
        confidence="certain" if known else "possible" if all(each.reason == "idle" for each in guilty) else "likely",
        evidence=evidence,
        suspects=suspects("rank", map(str, ranks)),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[READ_STACK, SEE_GPU_FAULTS] if absent else [SEE_GPU_FAULTS, READ_STACK],
        references=[TORCH_DISTRIBUTED],
    )


def _sentence(found: FlightSet, guilty: Sequence[Blocked]) -> str:
    """``ranks 12 and 14 did not reach all_reduce 538 of EXPERT_MODEL that 6 others wait in, 8 more behind them``."""
    who = rank_names([each.rank for each in guilty])
    wait = leading_wait(guilty)
    if wait is None:
        return f"{who} did not continue"
    inside = [rank for rank in (*wait.waiting, *wait.elsewhere) if rank in found.held_up]
    more = len(found.held_up) - len(inside)
    behind = f", and {more} more behind {'it' if len(inside) == 1 else 'them'}" if more > 0 else ""
    waiting = f"{counted(len(inside), 'other waits', 'others wait')} in{behind}"
    if all(each.reason == "absent" and each.rank in wait.absent for each in guilty):
        return f"{who} did not reach {operation_name(wait)} that {waiting}"
    if all(each.reason == "idle" for each in guilty):
        has = "has" if len(guilty) == 1 else "have"
        return f"{who} {has} nothing under way, and may not have reached {operation_name(wait)} that {waiting}"
    oldest = next((each.oldest for each in guilty if each.oldest is not None), None)
    since = f"; the oldest that they have not finished is {entry_name(oldest)}" if oldest is not None else ""
    one = since.replace("they have", "it has") if len(guilty) == 1 else since
    return f"{who} did not get through to {operation_name(wait)} that {waiting}{one}"

"""Ranks wait for a rank whose flight recorder is missing.

On a time-out every process of the job writes its flight recorder. A rank that the others wait for and that left no
dump died before, or hangs so hard that its watchdog could not write either. Nobody is called lost when dumps of fewer
than half of the ranks are there, when the rank's dump is cut, or when an input was read only in part that may hold it.

Why it matters: all the dumps that are there come from ranks that only wait.
How to confirm: see whether the process still lives on its node; the scheduler and ``dmesg -T`` say what ended it.
What to do: follow the reason of its end. For the next hang, have the dumps of all ranks written to a shared file system
(TORCH_NCCL_DEBUG_INFO_TEMP_FILE).
When it is wrong: its dump was written, and not collected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.hang import Blocked, Flights, FlightSet
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.links_to_docs import TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.flight_phrases import (
    evidence_of_blocked,
    evidence_of_wait,
    group_name,
    leading_wait,
    operation_name,
    rank_names,
    ranks_lacking,
)
from slowlink.rules.hang.remedies import SEE_IF_ALIVE, SEE_WHAT_ENDED_IT

CAUSES = ("rank-lost", "rank-stuck")

_MOST_EVIDENCE = 4
_ENOUGH = 0.5
"""Dumps over ranks of the job; with less, a missing dump says nothing, since not all were collected."""


def check(flights: Flights) -> Iterator[Finding]:
    """One finding a job, where the others wait for ranks without a dump, and for none with one."""
    for found in flights.all:
        silent = [each for each in found.blocked if each.reason == "silent"]
        if found.moved or not silent:
            continue  # the job ran on between two dumps, or flight-recorder-hang names a rank
        if len(found.dumps) >= _ENOUGH * len(found.ranks):
            # A dump that is cut was left all the same. Who left none is the surer sign.
            without = [each for each in silent if each.rank not in found.unreadable]
            yield _silent(found, without or silent, flights.unread if without else "")
        elif found.waits:
            yield _too_few(found)


def _silent(found: FlightSet, guilty: Sequence[Blocked], unread: str) -> Finding:
    """``unread``: an input that may hold the dumps that are missing."""
    who = [each.rank for each in guilty]
    wait = leading_wait(guilty)
    evidence: list[Evidence] = [evidence_of_blocked(found, each) for each in guilty[:_MOST_EVIDENCE]]
    if wait is not None:
        evidence.append(evidence_of_wait(found, wait))
    it, they = ("it", "it") if len(who) == 1 else ("them", "they")
    what = f"{counted(len(found.held_up), 'other waits', 'others wait')} for {it}" + (
        f" in {operation_name(wait)}" if wait is not None else ""
    )
    unknown = f"no dump is here, and {unread}, which may hold more, was read only in part" if unread else ""
    if set(who) <= set(found.unreadable):
        unknown = "the dump is cut"
    return finding(
        "rank-stuck" if unknown else "rank-lost",
        f"{rank_names(who)}: {unknown}, so nothing shows whether {what} in vain"
        if unknown
        else f"{rank_names(who)} left no dump, and {what}: {they} died, or could not write one",
        severity="warning" if unknown else "critical",
        confidence="possible" if unknown else "likely",
        evidence=evidence,
        suspects=suspects("rank", map(str, who)),
        explains=("output-truncated", "nccl-error-unexplained"),
        remedy=[SEE_IF_ALIVE, SEE_WHAT_ENDED_IT],
        references=[TORCH_DISTRIBUTED],
    )


def _too_few(found: FlightSet) -> Finding:
    """The dumps of a few ranks do not show who is missing. A watchdog that gave up makes it more than a warning."""
    wait = found.waits[0]
    others = len(ranks_lacking(wait))
    return finding(
        "rank-stuck",
        f"{rank_names(wait.waiting)} {'waits' if len(wait.waiting) == 1 else 'wait'} in {operation_name(wait)}; "
        f"dumps of {len(found.dumps)} of {len(found.ranks)} ranks do not tell for which of the other {others} in "
        f"{group_name(wait.group)}",
        severity="critical" if any(entry.retired for entry in found.oldest.values()) else "warning",
        confidence="possible",
        evidence=[evidence_of_wait(found, wait)],
        remedy=[("Collect the dumps of all ranks.", "ls /tmp/nccl_trace_rank_*")],
        references=[TORCH_DISTRIBUTED],
    )

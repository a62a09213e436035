"""Ranks wait for a rank whose flight recorder is missing.

On a time-out every process of the job writes its flight recorder. A rank that the others wait for and that left no
readable dump died before, or hangs so hard that its watchdog could not write either.

Why it matters: all the dumps that are there come from ranks that only wait.
How to confirm: look whether the process lives on its node; the scheduler and ``dmesg -T`` say what ended it.
What to do: follow the reason of its end. Save dumps of all ranks where the next hang will need them
(TORCH_NCCL_DEBUG_INFO_TEMP_FILE on a shared file system).
When it is wrong: its dump was written and not collected.
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
    lacking,
    leading_wait,
    named,
    operation,
)

CAUSES = ("rank-lost", "rank-stuck")

_MOST_EVIDENCE = 4
_ENOUGH = 0.5
"""With fewer than this share of all dumps, a missing one says nothing: not all were collected."""


def check(flights: Flights) -> Iterator[Finding]:
    """One finding a job, where no rank with a dump holds the others up."""
    for found in flights.all:
        silent = [each for each in found.blocked if each.reason == "silent"]
        if found.moved or not silent:
            continue
        if len(found.dumps) >= _ENOUGH * len(found.ranks):
            yield _silent(found, silent)
        elif found.waits:
            yield _too_few(found)


def _silent(found: FlightSet, guilty: Sequence[Blocked]) -> Finding:
    who = [each.rank for each in guilty]
    wait = leading_wait(guilty)
    evidence: list[Evidence] = [evidence_of_blocked(found, each) for each in guilty[:_MOST_EVIDENCE]]
    if wait is not None:
        evidence.append(evidence_of_wait(found, wait))
    it, they = ("it", "it") if len(who) == 1 else ("them", "they")
    what = f"{counted(len(found.held_up), 'other waits', 'others wait')} for {it}" + (
        f" in {operation(wait)}" if wait is not None else ""
    )
    cut = set(who) <= set(found.unreadable)
    return finding(
        "rank-stuck" if cut else "rank-lost",
        f"{named(who)}: the dump is cut, so nothing shows whether {what} in vain"
        if cut
        else f"{named(who)} left no dump, and {what}: {they} died, or could not write one",
        severity="warning" if cut else "critical",
        confidence="possible" if cut else "likely",
        evidence=evidence,
        suspects=suspects("rank", map(str, who)),
        explains=("output-truncated", "nccl-error-unexplained"),
        remedy=[
            ("See whether the process of this rank lives; if it does, read its stack.", "py-spy dump --pid PID"),
            ("See on its node what ended it.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
        ],
        references=[TORCH_DISTRIBUTED],
    )


def _too_few(found: FlightSet) -> Finding:
    """With the dumps of a few ranks it is not known who is missing."""
    wait = found.waits[0]
    others = len(lacking(wait))
    return finding(
        "rank-stuck",
        f"{named(wait.waiting)} {'waits' if len(wait.waiting) == 1 else 'wait'} in {operation(wait)}; dumps of "
        f"{len(found.dumps)} of {len(found.ranks)} ranks do not tell for which of the other {others} in "
        f"{group_name(wait.group)}",
        severity="critical" if any(entry.retired for entry in found.oldest.values()) else "warning",
        confidence="possible",
        evidence=[evidence_of_wait(found, wait)],
        remedy=[("Collect the dumps of all ranks.", "ls /tmp/nccl_trace_rank_*")],
        references=[TORCH_DISTRIBUTED],
    )

"""The table of all ranks' calls (``torchfrtrace DIR -j``) shows where ranks part.

All ranks called the same, row after row, up to one row. There some called something else, or have not finished what
others have, or their column ends before an operation that the others wait in.

Why it matters: the ranks that wait print the errors; the one that parted from them is the one to look at.
How to confirm: ``torchfrtrace DIR`` without ``-j`` compares the calls group by group and names the number.
What to do: see where the program of that rank stands, or which branch it took.
When it is wrong: the rows do not say which process group a call is of. Where ranks are in different groups, their
calls differ by design. Only rows after a start that is alike on all ranks are compared, and nothing is certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import FAILED_RUN, happened
from slowlink.rules.hang.flight_culprits import numbers
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import COMPARE_CALLS, READ_STACK

CAUSES = ("collective-mismatch", "rank-stuck")

_COMPARED = ("flight-calls-differ", "torch-rank-missing")
"""The analyser's own comparison says more."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for each table."""
    if happened(events, *_COMPARED):
        return
    for event in happened(events, "flight-table-behind"):
        ranks = numbers(event.groups["ranks"])
        yield _stuck(event, ranks, f"{rank_names(ranks)} recorded no {event.groups['op']} that the other ranks wait in")
    for event in happened(events, "flight-table-differs"):
        yield _parted(event)


def _parted(event: JobEvent) -> Finding:
    calls = {int(rank): (op, state) for rank, op, state in map(str.split, event.groups["calls"].split("; "))}
    operations = _alike({rank: op for rank, (op, _) in calls.items()})
    if len(operations) > 1:
        odd = min(operations.values(), key=len)
        parts = [f"{rank_names(ranks)} {op}" for op, ranks in operations.items()]
        return finding(
            "collective-mismatch",
            f"ranks call different collectives in row {event.groups['row']}: {', '.join(parts)}",
            severity="critical",
            confidence="likely",
            evidence=[line_evidence(event.ref)],
            suspects=suspects("rank", map(str, odd if 2 * len(odd) < len(calls) else ())),
            explains=FAILED_RUN,
            remedy=[COMPARE_CALLS],
            references=[TORCH_DISTRIBUTED],
        )
    behind = tuple(rank for rank, (_, state) in calls.items() if state != "completed")
    return _stuck(
        event, behind, f"{rank_names(behind)} did not finish {event.groups['op']} that other ranks have finished"
    )


def _alike(called: Mapping[int, str]) -> dict[str, tuple[int, ...]]:
    """Ranks by what they called."""
    return {op: tuple(rank for rank, other in called.items() if other == op) for op in dict.fromkeys(called.values())}


def _stuck(event: JobEvent, ranks: tuple[int, ...], message: str) -> Finding:
    return finding(
        "rank-stuck",
        f"{message} (row {event.groups['row']} of the table)",
        severity="critical",
        confidence="likely",
        evidence=[line_evidence(event.ref)],
        suspects=suspects("rank", map(str, ranks)),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[READ_STACK],
        references=[TORCH_DISTRIBUTED],
    )

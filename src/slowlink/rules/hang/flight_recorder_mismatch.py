"""Flight recorders show ranks that called different operations, or in different order.

Under one number of one process group, ranks recorded another collective, other sizes or other data types. Or ranks
wait for one another in a circle, because they use several groups in different orders.

Why it matters: NCCL does not compare calls. It waits for ever, or moves wrong data.
How to confirm: ``torchfrtrace DIR`` names the same number; ``TORCH_DISTRIBUTED_DEBUG=DETAIL`` stops at the first
such call.
What to do: find the branch that only some ranks take (a condition on the rank, on the data, on the last batch), and
make all ranks of a group call the same operations in one order.
When it is wrong: sizes of all-to-all, gather and scatter may differ by design; they are not compared. Another
collective is certainly a fault; other sizes or types are likely one.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.hang import Difference, FlightEntry, Flights, FlightSet
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.links_to_docs import TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import FAILED_RUN
from slowlink.rules.hang.flight_phrases import evidence_of_wait, group_name, operation_name, rank_names
from slowlink.rules.hang.remedies import COMPARE_CALLS

CAUSES = ("collective-mismatch",)

_REMEDY = [
    COMPARE_CALLS,
    ("See the program's lines of these calls.", "torchfrtrace DIR -p PREFIX"),
]


def check(flights: Flights) -> Iterator[Finding]:
    """One finding for each group whose ranks differ; else one for a circle, unless the job ran on between two dumps."""
    for found in flights.all:
        for difference in found.differences:
            yield _different(found, difference)
        if found.circle and not found.moved and not found.differences:
            yield _circle(found)


def _different(found: FlightSet, difference: Difference) -> Finding:
    usual, odd = _called(difference, difference.usual_entry), _called(difference, difference.odd_entry)
    return finding(
        "collective-mismatch",
        f"{rank_names(difference.odd)} called {odd} as number {difference.seq} of {group_name(difference.group)}, "
        f"where {rank_names(difference.usual)} called {usual}",
        severity="critical",
        confidence="certain" if difference.what == "operation" else "likely",
        evidence=[
            _evidence(found, difference, difference.odd[0], odd, usual),
            _evidence(found, difference, difference.usual[0], usual, ""),
        ],
        suspects=suspects("rank", map(str, difference.odd)),
        explains=FAILED_RUN,
        remedy=_REMEDY,
        references=[TORCH_DISTRIBUTED],
    )


def _called(difference: Difference, entry: FlightEntry) -> str:
    """What a rank called, with the part that differs."""
    if difference.what == "operation":
        return entry.operation
    if difference.what == "dtypes":
        return f"{entry.operation} of {', '.join(entry.input_dtypes or ())}"
    shapes = [list(shape) for shape in (entry.input_sizes or ())[:4]]
    return f"{entry.operation} of {', '.join(map(str, shapes))}"


def _evidence(found: FlightSet, difference: Difference, rank: int, called: str, expected: str) -> Evidence:
    """One rank's entry under that number."""
    ref = found.dumps[rank].ref
    where = f'rank {rank}, pg {difference.group.name} "{difference.group.description}"'
    return Evidence(
        ref.source, ref.line, f"{where}: collective_seq_id {difference.seq} {called}"[:400], called, expected
    )


def _circle(found: FlightSet) -> Finding:
    parts = [f"{rank_names(wait.waiting, 4)} in {operation_name(wait)}" for wait in found.circle[:4]]
    return finding(
        "collective-mismatch",
        f"ranks wait for one another in a circle: {', '.join(parts)}: they use these groups in different orders",
        severity="critical",
        confidence="likely",
        evidence=[evidence_of_wait(found, wait) for wait in found.circle[:4]],
        suspects=suspects("rank", (str(rank) for wait in found.circle for rank in wait.waiting)),
        explains=FAILED_RUN,
        remedy=_REMEDY,
        references=[TORCH_DISTRIBUTED],
    )

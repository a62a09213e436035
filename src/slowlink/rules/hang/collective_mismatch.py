"""Ranks called different collectives, or the same one with different sizes or in another order.

NCCL does not compare calls between ranks. A mismatch shows as a message that does not fit the buffer posted for it,
as a hang, or as wrong data. PyTorch's debug mode compares the calls and says which rank differs. Where NCCL logged
its calls, calls with the same opCount in one communicator are compared here; so are the operations with which ranks
of one process group timed out under the same number (SeqNum of PyTorch's watchdog).

Why it matters: the fabric is blamed for a mistake in the program.
How to confirm: run with ``TORCH_DISTRIBUTED_DEBUG=DETAIL``, or compare the last opCount lines of all ranks
(``NCCL_DEBUG_SUBSYS=COLL``).
What to do: make every rank of a communicator call the same collectives, with equal counts and types, in the same
order. Use the same version of NCCL and the same NCCL_PROTO, NCCL_ALGO and NCCL_BUFFSIZE on all ranks.
When it is wrong: where no line names the process group of a time-out, equal numbers may be of two groups. Messages do
not fit either when ranks run different versions of NCCL or other settings; that is another cause. It is certain only
where PyTorch compared the calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Calls, Communicators, Events, Warnings
from slowlink.model.nccl import CollectiveCall
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING, TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, happened, hosts_of, refs_of, reported
from slowlink.rules.evidence.rdma_completions import LENGTH, completions
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import COMPARE_CALLS
from slowlink.rules.hang.watchdog_calls import OddCall, call_of, odd_calls

CAUSES = ("collective-mismatch",)

_COMPARED = "torch-collective-mismatch"
_MESSAGES = (
    "ib-incorrect-receive-info",
    "socket-message-truncated",
    "symmetric-mismatch",
    "bootstrap-mismatch",
    _COMPARED,
)
_COMPARE_STACKS = (
    "Compare the stack traces that the watchdog printed for these ranks: find the branch that only some of them take.",
    "",
)
_REMEDY = [
    COMPARE_CALLS,
    ("Or log the calls of each rank and compare those with one opCount.", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL ..."),
]


def check(
    warnings: Warnings | None, events: Events | None, calls: Calls | None, comms: Communicators | None
) -> Iterator[Finding]:
    """One finding for messages that do not fit or PyTorch's own comparison, one for each communicator whose logged
    calls differ, and one for each number under which ranks timed out in different operations."""
    found = (*reported(warnings, events, *_MESSAGES), *completions(warnings, events, LENGTH))
    if found:
        compared = happened(events, _COMPARED)
        yield finding(
            "collective-mismatch",
            f"{at_hosts(hosts_of(found))}"
            + (
                "PyTorch compared the calls of all ranks, and they differ"
                if compared
                else "a message has not the size that its receiver expects: calls or settings differ between ranks"
            ),
            severity="critical",
            confidence="certain" if compared else "likely",
            evidence=lines_evidence(refs_of(found)),
            suspects=suspects("node", hosts_of(found)),
            explains=FAILED_RUN,
            remedy=_REMEDY,
            references=[TORCH_DISTRIBUTED, NCCL_TROUBLESHOOTING],
        )
    for one, other in _differing(calls, comms):
        yield _two_calls(one, other)
    yield from map(_timed_out_apart, odd_calls(events))


def _differing(calls: Calls | None, comms: Communicators | None) -> Iterator[tuple[CollectiveCall, CollectiveCall]]:
    """For each communicator, the first two calls with one number that are not the same call."""
    ids = {(c.process, c.comm): c.comm_id for c in (comms.all if comms is not None else ()) if c.comm_id and c.comm}
    first: dict[tuple[str, int], CollectiveCall] = {}
    reported_comms: set[str] = set()
    for call in calls.all if calls is not None else ():
        comm = ids.get((call.process, call.comm))
        if comm is None or comm in reported_comms:
            continue  # no line says which communicator it is, or its later calls differ because the first did
        other = first.setdefault((comm, call.op_count), call)
        if _signature(other) != _signature(call):
            reported_comms.add(comm)
            yield other, call


def _signature(call: CollectiveCall) -> tuple[object, ...]:
    """What must be equal on all ranks. Send and Recv pair up with different calls, so they are all alike here."""
    if call.collective in ("Send", "Recv"):
        return ("Send/Recv",)
    return (call.collective, call.count, call.datatype)


def _two_calls(one: CollectiveCall, other: CollectiveCall) -> Finding:
    calls = (one, other)
    texts = [f"{call.collective} of {call.count} elements on {call.process.host or 'one rank'}" for call in calls]
    return finding(
        "collective-mismatch",
        f"call number {one.op_count:#x} is {texts[0]} and {texts[1]}",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(call.ref for call in calls),
        suspects=suspects("node", (call.process.host for call in calls)),
        explains=FAILED_RUN,
        remedy=_REMEDY,
        references=[NCCL_TROUBLESHOOTING],
    )


def _timed_out_apart(found: OddCall) -> Finding:
    """Ranks wait in different operations under one number: none of them can end."""
    ranks = sorted({event.rank for event in found.odd if event.rank is not None})
    others = sorted({event.rank for event in found.usual if event.rank is not None})
    accused = (
        ranks if len(found.odd) < len(found.usual) else sorted({*ranks, *others})
    )  # as many did the one as the other
    calls = " and ".join(dict.fromkeys(map(call_of, found.odd)))
    where = f" of {found.group.partition('(')[2].rstrip(')') or found.group}" if found.group else ""
    return finding(
        "collective-mismatch",
        f"{rank_names(ranks)} called {calls} as number {found.seq}{where}, where {rank_names(others)} called "
        f"{call_of(found.usual[0])}",
        severity="critical",
        confidence="likely" if found.group else "possible",
        evidence=lines_evidence(event.ref for event in (*found.odd[:2], *found.usual[:2])),
        suspects=suspects("rank", map(str, accused)),
        explains=FAILED_RUN,
        remedy=[_COMPARE_STACKS, COMPARE_CALLS],
        references=[TORCH_DISTRIBUTED],
    )

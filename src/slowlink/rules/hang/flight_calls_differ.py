"""PyTorch's analyser of flight recorders (``torchfrtrace``) found calls that differ between ranks.

It compares what all ranks recorded under one number of a process group: other collectives, other sizes, other data
types, or ranks that have finished what others have not. The first block of each group counts: after it the analyser
pairs up the wrong calls.

Why it matters: the fabric is blamed for a mistake in the program, and the rank that is printed as culprit may be right.
How to confirm: ``torchfrtrace DIR -j`` shows the calls of all ranks side by side. ``TORCH_DISTRIBUTED_DEBUG=DETAIL``
stops a new run at the first such call.
What to do: find the branch that only some ranks take, and make all ranks of a group call the same operations in one
order. Where calls are alike and only some ranks finished, look at the GPU and the node of those that did not.
When it is wrong: the analyser compares each rank with the first one that it looked at. Of two ranks either may be the
odd one. Recorders that were written while the job ran differ a little, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import FAILED_RUN, happened
from slowlink.rules.hang.flight_culprits import Culprits, culprits, firsts, numbers
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import COMPARE_CALLS, READ_STACK, SEE_GPU_FAULTS, SEE_IF_ALIVE, SEE_WHAT_ENDED_IT

CAUSES = ("collective-mismatch", "rank-stuck", "rank-lost")

_STATE = "COLLECTIVE_STATE_MISMATCH"
_KINDS = {
    "COLLECTIVE_TYPE_MISMATCH": "another collective",
    "SIZE_OR_SYNTAX_MISMATCH": "other sizes",
    "COLLECTIVE_DTYPE_MISMATCH": "other data types",
    _STATE: "another state",
}
_REMEDY = [COMPARE_CALLS, ("See the calls of all ranks side by side.", "torchfrtrace DIR -j")]


def check(events: Events) -> Iterator[Finding | Proof]:
    """One finding for each process group whose ranks differ, one for dumps that the analyser misses; a proof where it
    found no error in what it compared."""
    differ = happened(events, "flight-calls-differ")
    pairs = [event for event in happened(events, "flight-pairs-differ") if event.groups.get("pairs")]
    for event in firsts(differ):
        yield from _differs(event)
    if pairs:
        yield _mismatch(pairs[0], f"send and recv do not pair up: {pairs[0].groups['pairs'][:160]}", (), "likely")
    missed = happened(events, "flight-dumps-missing")
    if missed:
        yield _no_dumps(missed[0])
    fine = happened(events, "flight-no-error")
    if fine and not differ and not pairs and not happened(events, "torch-rank-missing"):
        said = "the analyser of flight recorders compared the calls of the ranks and found no difference"
        yield Proof(said, (line_evidence(fine[0].ref),), weight=0)


def _differs(event: JobEvent) -> Iterator[Finding]:
    """What one block says, each kind of difference once."""
    found = culprits(event)
    for each in found:
        yield _behind(event, each) if each.error == _STATE else _odd(event, each)
    if not found:
        yield _mismatch(event, _unnamed(event), numbers(event.groups.get("odd", "")), "likely")


def _odd(event: JobEvent, each: Culprits) -> Finding:
    against = rank_names(each.usual) if each.usual else "the others"
    if each.error == "COLLECTIVE_TYPE_MISMATCH" and each.odd_called:
        message = f"{rank_names(each.odd)} called {each.odd_called} as {_number(event)}, where {against} called "
        message += each.usual_called
        return _mismatch(event, message, each.odd, "certain")
    values = f": {each.odd_called}, not {each.usual_called}" if each.odd_called else ""
    message = f"{rank_names(each.odd)} called {_operation(event)} with {_KINDS.get(each.error, 'a difference')}{values}"
    return _mismatch(event, f"{message} ({_number(event)}; compared with {against})", each.odd, "likely")


def _unnamed(event: JobEvent) -> str:
    """A block that names no rank, or only that one differs."""
    where, groups = f"{_operation(event)}, {_number(event)}", event.groups
    if groups.get("totals"):
        sums = (
            f": {groups['input_numel']} elements in, {groups['output_numel']} out" if "output_numel" in groups else ""
        )
        return f"what the ranks send and what they expect in {where} does not add up{sums}"
    return (
        f"ranks differ in {where}"
        if "odd" not in groups
        else f"rank {groups['odd']} differs from the others in {where}"
    )


def _number(event: JobEvent) -> str:
    """``number 41 of default_pg``, as far as it is named."""
    group = event.groups.get("group", "")
    name = group.partition(":")[2] or group
    number = f"number {event.groups['seq']}" if "seq" in event.groups else "one call"
    return f"{number} of {name}" if name else number


def _operation(event: JobEvent) -> str:
    return event.groups.get("op", "a collective").partition(":")[2] or event.groups.get("op", "a collective")


def _mismatch(event: JobEvent, message: str, ranks: tuple[int, ...], confidence: str) -> Finding:
    at = f"; the call is in {event.groups['frame']}" if "frame" in event.groups else ""
    return finding(
        "collective-mismatch",
        message + at,
        severity="critical",
        confidence="certain" if confidence == "certain" else "likely",
        evidence=lines_evidence([event.ref]),
        suspects=suspects("rank", map(str, ranks)),
        explains=FAILED_RUN,
        remedy=_REMEDY,
        references=[TORCH_DISTRIBUTED],
    )


def _behind(event: JobEvent, each: Culprits) -> Finding:
    """All called the same, and some have not finished what others have."""
    who = rank_names(each.odd) if each.odd else "some ranks"
    have = f"{rank_names(each.usual)} {'has' if len(each.usual) == 1 else 'have'}" if each.usual else "others have"
    states = f" ({each.odd_called}; {have} {each.usual_called})" if each.odd_called else ""
    return finding(
        "rank-stuck",
        f"{who} did not get as far as others in {_operation(event)}, {_number(event)}{states}: the calls are alike",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence([event.ref]),
        suspects=suspects("rank", map(str, each.odd)),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[READ_STACK, SEE_GPU_FAULTS],
        references=[TORCH_DISTRIBUTED],
    )


def _no_dumps(event: JobEvent) -> Finding:
    ranks = numbers(event.groups.get("ranks", ""))
    return finding(
        "rank-lost",
        f"the analyser has no flight recorder of {rank_names(ranks)}: the process ended before it could write one, or "
        "the file was not collected",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence([event.ref]),
        suspects=suspects("rank", map(str, ranks)),
        remedy=[SEE_IF_ALIVE, SEE_WHAT_ENDED_IT],
        references=[TORCH_DISTRIBUTED],
    )

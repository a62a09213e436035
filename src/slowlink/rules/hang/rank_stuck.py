"""A rank did not arrive at a collective, and the others timed out waiting.

PyTorch's watchdog, or nccl-tests with ``-T``, ended the job because a collective did not finish in time. The rank
that did not call it is the one to look at; the ranks that report the time-out are those that waited. Where no line
shows a time-out, a communicator that more than half of its ranks began to create, and the others never, is a warning.

Why it matters: the job is gone, and the ranks that print the most are not the ones at fault.
How to confirm: compare "last enqueued NCCL work" of all ranks: the smallest number is the rank that did not come. A
flight recorder dump (``TORCH_NCCL_DUMP_ON_TIMEOUT=1``) or NCCL's RAS (``ncclras``) shows where each rank was
(docs/hangs.md).
What to do: read that rank's own output and stack (``py-spy dump``): a slow data loader, a branch that only some ranks
take, a checkpoint on a stalled file system, a GPU that hangs. "Could not acquire GIL" says that a call into C held
Python's lock when the process ended. If all ranks called the same collective, suspect the network.
When it is wrong: a first collective or a very large one may simply need longer than the time-out. A rank
whose log is not in the input only looks as if it never began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Communicators, Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING, TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import groups_of, happened, listed, refs_of
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import DUMP_ON_TIMEOUT, READ_STACK, SEE_IF_ALIVE
from slowlink.rules.hang.watchdog_status import progress_lines, ranks_behind, ranks_named_missing

CAUSES = ("rank-stuck",)

_MISSING = "torch-rank-missing"
_LOCKED = "torch-gil-hang"
_TIMED_OUT = ("torch-watchdog-timeout", "torch-heartbeat-timeout", "nccl-tests-timeout")
_MOST_RANKS = 65536
"""More than any job has: a larger number is a line that was misread."""
_MOST_NAMES = 3
_FEWEST_WAITING, _MANY_TO_ONE = 6, 5
"""So many ranks wait, and so many for each that is silent, before its silence tells anything."""


def check(events: Events | None, comms: Communicators | None) -> Iterator[Finding]:
    """One finding for the whole time-out, with the ranks that did not come where the lines name them; without a
    time-out, one for each communicator that some ranks never began to create."""
    timed_out = happened(events, *_TIMED_OUT)
    missing = happened(events, _MISSING)
    if not timed_out and not missing:
        yield from _never_began(comms)
        return
    progress = progress_lines(events)
    absent = ranks_named_missing(missing) or ranks_behind(progress)
    ranks = sorted({event.rank for event in timed_out if event.rank is not None})
    one_work = len(groups_of(timed_out, "seq")) == 1
    operation = (_operation(timed_out, missing) or "a collective") + _within(timed_out, missing)
    silent = _silent(ranks) if one_work and not absent else []
    if not absent and comms is not None and len(ranks) == comms.nranks and one_work:
        message = f"all {len(ranks)} ranks timed out in {operation}: none is missing, the network or a GPU stands still"
    else:
        who = f"{rank_names([int(rank) for rank in absent])} did not join" if absent else "a rank did not arrive at"
        message = f"{who} {operation}"
        message += f"; {rank_names(ranks)} timed out waiting" if ranks else ""
        message += f", and of {rank_names(silent)} there is no such line" if silent else ""
    locked = happened(events, _LOCKED)
    yield finding(
        "rank-stuck",
        message + ("; a process ended with Python's lock held" if locked else ""),
        severity="critical",
        confidence="certain" if absent else "likely",
        evidence=lines_evidence(refs_of((*locked[:1], *missing, *timed_out, *progress)), 5),
        suspects=suspects("rank", absent or map(str, silent)),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[DUMP_ON_TIMEOUT, READ_STACK],
        references=[TORCH_DISTRIBUTED, NCCL_TROUBLESHOOTING],
    )


def _silent(ranks: Sequence[int]) -> list[int]:
    """The few ranks within the numbers of those that wait which say nothing of their own; none where so many are silent
    that the log is not that of all ranks."""
    if len(ranks) < _FEWEST_WAITING or ranks[-1] > _MOST_RANKS:
        return []
    silent = sorted(set(range(ranks[-1] + 1)) - set(ranks))
    return silent if len(silent) * _MANY_TO_ONE <= len(ranks) else []


def _operation(timed_out: Sequence[JobEvent], missing: Sequence[JobEvent]) -> str:
    """``ALLREDUCE number 9``, as far as the lines name it; "" for not at all."""
    number = _first(timed_out, "seq") or (_first(missing, "collective") if not timed_out else "")
    names = [op.removeprefix("nccl:") for op in groups_of(timed_out or missing, "op")]
    one_number = len(groups_of(timed_out, "seq")) == 1  # else ranks may have timed out one operation after another
    name = " or ".join(names[: _MOST_NAMES if one_number else 1])
    return " ".join(filter(None, (name or ("collective" if number else ""), f"number {number}" if number else "")))


def _within(timed_out: Sequence[JobEvent], missing: Sequence[JobEvent]) -> str:
    """`` within 600 s``: how long ranks waited, or else the limit that was set."""
    waited_ms = _first(timed_out, "ran_ms") or _first(timed_out or missing, "timeout_ms")
    if waited_ms.isdecimal() and len(waited_ms) < 16:
        return f" within {int(waited_ms) / 1000:.0f} s"
    limit = _first(timed_out, "seconds")
    return f" within {limit} s" if limit else ""


def _first(events: Sequence[JobEvent], name: str) -> str:
    """The first value of a part, or nothing."""
    return next(iter(groups_of(events, name)), "")


def _never_began(comms: Communicators | None) -> Iterator[Finding]:
    """Ranks without a line of their own in a communicator that most others began to create and none has completed."""
    begun: dict[str, dict[int, Ref]] = {}
    completed = {c.comm_id for c in (comms.all if comms is not None else ()) if c.completed is not None}
    sizes: dict[str, int] = {}
    seen: set[tuple[int | None, int | None]] = set()
    """Ranks of communicators of a size with a line of a later step: the log of their beginning was cut off."""
    for comm in comms.all if comms is not None else ():
        if comm.started is None:
            seen.add((comm.nranks, comm.rank))
        if comm.comm_id and comm.started is not None and comm.rank is not None and comm.nranks is not None:
            begun.setdefault(comm.comm_id, {})[comm.rank] = comm.started
            sizes[comm.comm_id] = comm.nranks
    for comm_id, ranks in begun.items():
        nranks = sizes[comm_id]
        if comm_id in completed or not nranks // 2 < len(ranks) < nranks <= _MOST_RANKS:
            continue  # it came up, or so few ranks have lines that the log is not that of all ranks
        if any((nranks, rank) in seen for rank in range(nranks) if rank not in ranks):
            continue
        absent = [str(rank) for rank in range(nranks) if rank not in ranks]
        yield finding(
            "rank-stuck",
            f"rank {listed(absent)} never began to create the communicator that {len(ranks)} of {nranks} ranks wait in",
            severity="warning",
            confidence="possible",
            evidence=lines_evidence(ranks.values()),
            suspects=suspects("rank", absent),
            explains=("output-truncated",),
            remedy=[SEE_IF_ALIVE],
            references=[NCCL_TROUBLESHOOTING],
        )

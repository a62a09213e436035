"""A rank did not arrive at a collective, and the others timed out waiting.

PyTorch's watchdog (or nccl-tests with ``-T``) ended the job because a collective did not finish in time. The rank
that did not call it is the one to look at; the ranks that report the time-out are those that waited.

Why it matters: the job is gone, and the ranks that print the most are not the ones at fault.
How to confirm: compare "last enqueued NCCL work" of all ranks: the smallest number is the rank that did not come. A
flight recorder dump (``TORCH_NCCL_DUMP_ON_TIMEOUT=1``) or NCCL's RAS (``ncclras``) shows where each rank was.
What to do: read that rank's own output and stack (py-spy dump): a slow data loader, a branch that only some ranks
take, a checkpoint on a stalled file system, a GPU that hangs. "Could not acquire GIL" says that a call into C held
Python's lock when the process ended. If all ranks called the same collective, suspect the
network.
When it is wrong: a first collective or a very large one may simply need longer than the time-out.
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
from slowlink.rules.hang.flight_phrases import named
from slowlink.rules.hang.watchdog_status import behind, named_missing, told

CAUSES = ("rank-stuck",)

_MISSING = "torch-rank-missing"
_LOCKED = "torch-gil-hang"
_TIMED_OUT = ("torch-watchdog-timeout", "torch-heartbeat-timeout", "nccl-tests-timeout")
_MOST_RANKS = 65536


def check(events: Events | None, comms: Communicators | None) -> Iterator[Finding]:
    """One finding for the whole time-out, with the rank that did not come where the lines tell it."""
    timed_out = happened(events, *_TIMED_OUT)
    missing = happened(events, _MISSING)
    work = told(events)
    if not timed_out and not missing:
        yield from _never_began(comms)
        return
    absent = named_missing(missing) or behind(work)
    who = f"{named([int(rank) for rank in absent])} did not join" if absent else "a rank did not arrive at"
    seq = _of(timed_out, "seq") or (_of(missing, "collective") if not timed_out else "")
    operation = _of(timed_out or missing, "op").removeprefix("nccl:")
    what = " ".join(filter(None, (operation or ("collective" if seq else ""), f"number {seq}" if seq else "")))
    limit = _of(timed_out, "seconds")
    waited = _of(timed_out, "ran_ms") or _of(timed_out or missing, "timeout_ms")
    after = (
        f" within {int(waited) / 1000:.0f} s"
        if waited.isdigit() and len(waited) < 16
        else (f" within {limit} s" if limit else "")
    )
    ranks = sorted(map(int, _ranks(timed_out)))
    message = f"{who} {what or 'a collective'}{after}" + (f"; {named(ranks)} timed out waiting" if ranks else "")
    holding = happened(events, _LOCKED)
    if not absent and comms is not None and len(ranks) == comms.nranks and len(groups_of(timed_out, "seq")) == 1:
        message = (
            f"all {len(ranks)} ranks timed out in {what}{after}: none is missing, the network or a GPU stands still"
        )
    yield finding(
        "rank-stuck",
        message + ("; a process ended with Python's lock held" if holding else ""),
        severity="critical",
        confidence="certain" if absent else "likely",
        evidence=lines_evidence(refs_of((*holding[:1], *missing, *timed_out, *work)), 5),
        suspects=suspects("rank", absent),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained", "time-limit"),
        remedy=[
            (
                "Have every rank dump what it called last, and compare.",
                "export TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=20000",
            ),
            ("Look at the stack of the rank that did not come.", "py-spy dump --pid PID"),
        ],
        references=[TORCH_DISTRIBUTED, NCCL_TROUBLESHOOTING],
    )


def _of(events: Sequence[JobEvent], name: str) -> str:
    """The first value of a part, or nothing."""
    return next(iter(groups_of(events, name)), "")


def _ranks(events: Sequence[JobEvent]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(event.rank) for event in events if event.rank is not None))


def _never_began(comms: Communicators | None) -> Iterator[Finding]:
    """Ranks without a line of their own in a communicator that most others began to create and none has completed."""
    begun: dict[str, dict[int, Ref]] = {}
    completed = {c.comm_id for c in (comms.all if comms is not None else ()) if c.completed is not None}
    sizes: dict[str, int] = {}
    for comm in comms.all if comms is not None else ():
        if comm.comm_id and comm.started is not None and comm.rank is not None and comm.nranks is not None:
            begun.setdefault(comm.comm_id, {})[comm.rank] = comm.started
            sizes[comm.comm_id] = comm.nranks
    for comm_id, ranks in begun.items():
        nranks = sizes[comm_id]
        if comm_id in completed or not nranks // 2 < len(ranks) < nranks <= _MOST_RANKS:
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
            remedy=[("See whether this rank's process lives, and where it stands.", "py-spy dump --pid PID")],
            references=[NCCL_TROUBLESHOOTING],
        )

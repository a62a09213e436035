"""NCCL's RAS lists processes or ranks that do not answer, or that it gave up.

RAS is a thread in every process of the job, with a network of its own. A process that does not answer has died or is
stopped, or its node is out of reach; after a minute RAS considers it dead. A program that merely hangs in Python still
answers. Of several answers the newest counts; one that lists no error is a proof.

Why it matters: all others wait for it, and their own errors blame the network.
How to confirm: on the node named, see whether the process lives (``ps -p PID``); if it does, what stops it
(``py-spy dump``, ``cat /proc/PID/status``); if not, what ended it (``dmesg -T``, the scheduler).
What to do: follow the reason of that process's end; drain the node when it is out of reach.
When it is wrong: while a job starts, ranks that have not joined yet are missing as well; then it is possible only. A
firewall between nodes that blocks RAS's own connections makes all of them look lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.hang import Ras, RasError, RasSnapshot
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import LOST_PEER, counted, listed
from slowlink.rules.hang.flight_phrases import rank_names
from slowlink.rules.hang.remedies import SEE_WHAT_ENDED_IT

CAUSES = ("rank-lost",)

_LOST = ("missing-rank", "missing-process", "dead")
"""Kinds of error by which RAS lists who does not answer."""
_STARTING = "INIT"
_MOST_EVIDENCE = 4


def check(ras: Ras) -> Iterator[Finding | Proof]:
    """One finding for all that the newest answer lists as lost, or a proof where it has no error. Nothing for answers
    with other errors, or that RAS gathered in part."""
    last = ras.all[-1]
    errors = [e for e in _errors(last) if e.kind in _LOST]
    if errors:
        yield _lost(last, errors)
    elif not any(group.errors for group in last.groups) and not _errors(last) and not last.timeouts:
        yield from _running(ras, last)


def _errors(snapshot: RasSnapshot) -> list[RasError]:
    return [*snapshot.errors, *(error for comm in snapshot.communicators for error in comm.errors)]


def _lost(snapshot: RasSnapshot, errors: Sequence[RasError]) -> Finding:
    members = [process for error in errors for process in error.members]
    dead = sum(error.count for error in errors if error.kind == "dead") or sum(
        bool(process.dead) for process in members
    )
    ranks = sorted({process.rank for process in members if process.rank is not None})
    pids = sorted({process.pid for process in members if process.pid is not None})
    hosts = list(dict.fromkeys(process.host for process in members if process.host))
    count = max(error.count for error in errors)
    who = rank_names(ranks) if ranks else counted(count, "process", "processes")
    if pids and not ranks:
        who = f"process {listed([str(pid) for pid in pids])}"
    place = f" on {listed(hosts)}" if hosts else ""
    starting = all(group.status == _STARTING for group in snapshot.groups) and bool(snapshot.groups)
    state = "not answering RAS, and not given up yet"
    if dead:
        state = "given up by RAS as dead" if dead >= count else f"not answering RAS, {dead} given up as dead"
    return finding(
        "rank-lost",
        f"{who}{place}: {state}; the process died, is stopped, or its node is out of reach",
        severity="error" if starting else "critical",
        confidence="possible" if starting else "likely",
        evidence=_evidence(errors),
        suspects=(*suspects("rank", map(str, ranks)), *suspects("process", map(str, pids)), *suspects("node", hosts)),
        explains=LOST_PEER,
        remedy=[
            ("See on that node whether the process lives, and where it stands.", "ps -o pid,stat,wchan,cmd -p PID"),
            SEE_WHAT_ENDED_IT,
        ],
        references=[NCCL_RAS],
    )


def _evidence(errors: Sequence[RasError]) -> list[Evidence]:
    """Lines of the processes, then of the errors. JSON has all of them in one line; its evidence differs in words."""
    refs = [*(process.ref for error in errors for process in error.members), *(error.ref for error in errors)]
    return [line_evidence(ref) for ref in dict.fromkeys(refs)][:_MOST_EVIDENCE]


def _running(ras: Ras, last: RasSnapshot) -> Iterator[Proof]:
    """A proof where all communicators run. A mismatch in an older answer leaves it open whether the job moves."""
    if not last.groups or any(group.status != "RUNNING" for group in last.groups):
        return  # starting or ending
    if any(group.errors for snapshot in ras.all for group in snapshot.groups):
        return
    comms = counted(last.count or sum(group.comms for group in last.groups), "communicator")
    ranks = f" over {last.gpus} GPUs" if last.gpus else ""
    yield Proof(
        f"RAS lists {comms}{ranks}, all running and none with an error",
        lines_evidence(group.ref for group in last.groups),
    )

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

from slowlink.model.hang import Ras, RasError, RasJob, RasSnapshot
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
    """For each job one finding for all that the newest answer lists as lost, or a proof where it has no error. Nothing
    for answers with other errors, or that RAS gathered in part."""
    for job in ras.jobs:
        last = job.newest
        errors = [e for e in _errors(last) if e.kind in _LOST]
        if errors:
            yield _lost(last, errors)
        elif not _errors(last) and not last.timeouts and last.complete:
            yield from _running(job)


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


def _running(job: RasJob) -> Iterator[Proof]:
    """A proof where all communicators run, and no two answers show that they stand. Ranks that differ leave it open,
    unless all of them went on since."""
    last = job.newest
    if not last.groups or any(group.status != "RUNNING" for group in last.groups) or job.moved is False:
        return  # starting, ending, or standing still
    differing = [each for each in last.communicators if each.mismatches]
    if any(m.kind != "operations" for each in differing for m in each.mismatches):
        return
    if any(each.hash not in job.going for each in differing):
        return
    errors = {name for snapshot in job.all for group in snapshot.groups for name in group.errors}
    if errors and not (job.going and errors == {"MISMATCH"}):
        return
    comms = counted(last.count or sum(group.comms for group in last.groups), "communicator")
    ranks = f" over {last.gpus} GPUs" if last.gpus else ""
    went_on = ""
    if job.going:
        within = f" within {job.seconds:.0f} s" if job.seconds is not None else ""
        went_on = f"; every rank of {len(job.going)} of them has launched more{within}"
    yield Proof(
        f"RAS lists {comms}{ranks}, all running and none with an error{went_on}",
        lines_evidence(group.ref for group in last.groups),
    )

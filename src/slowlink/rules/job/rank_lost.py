"""A rank died or was killed, and the others wait for it.

A process of the job was killed (for want of memory, with its node, by somebody), raised an exception, ended with an
error, or simply went away. Of these, one finding reports the surest that the input has. When a rank goes away, its
peers report "Connection closed by remote peer": that is an echo, and not the reason. A command that slowlink ran itself
and that ended with a code is no rank: the program failed.

Why it matters: every collective needs all ranks. The errors of those that live on blame the network, which is fine.
How to confirm: look on the node of the lost rank at ``dmesg -T | grep -i -E 'oom|killed process'``, at ``sacct -j
JOB``, and at the rank's own output just before its end. Where no peer says that the connection was closed, look at the
ports of both nodes, too.
What to do: follow the reason of the first death. After an out-of-memory kill give the job more host memory, or start
fewer data loader workers.
When it is wrong: an exit code alone may come after all work was done, from a check of the results for instance. Where
the benchmarks in the input came to their end it is a warning, and leaves the verdict open; where one of them began in
the same output afterwards, it is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import Communicators, Events, Network, Sweeps, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING, SBATCH
from slowlink.rules.evidence.messages import (
    LOST_PEER,
    LogMessage,
    at_hosts,
    elsewhere_fine,
    groups_of,
    happened,
    hosts_of,
    listed,
    overcome,
    refs_of,
)
from slowlink.rules.evidence.speakers import Speakers
from slowlink.rules.job.grumbles import runs_ended
from slowlink.rules.job.process_ends import KILL, OUT_OF_MEMORY, STATED, Death, deaths, raised, told
from slowlink.rules.job.silent_peers import SilentPeers, silent_peers

CAUSES = ("rank-lost", "application-error")

_LOOK = (
    ("See on the node what ended the process.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
    ("See how the scheduler accounts for the job.", "sacct -j JOB -o JobID,State,ExitCode,MaxRSS,NodeList"),
)
_LOOK_AT_THE_NETWORK = (
    _LOOK[0],
    ("See the ports of both nodes, and what their drivers logged.", "rdma link; dmesg -T | grep -i -E 'mlx5|link'"),
    ("Let the ranks name the connection that failed, and why.", "NCCL_DEBUG=WARN mpirun ..."),
    *_LOOK[1:],
)
_READ_ITS_ERRORS = (("Read what the command printed last, and run it by hand.", ""),)
_MORE_MEMORY = (
    ("Compare what the job took with what it had.", "sacct -j JOB -o JobID,State,ReqMem,MaxRSS,MaxRSSNode"),
    ("Ask for more memory a node or a task, or for more nodes.", "sbatch --mem=SIZE ..."),
    ("Or take less: fewer workers that load data, no second copy of the model on the host.", ""),
)
_MORE_MEMORY_IN_A_POD = (
    ("Compare the limit of the container with what it took.", "kubectl describe pod POD; kubectl top pod POD"),
    ("Raise resources.limits.memory, or take less: fewer workers that load data.", ""),
)
_NOT_FOUND_OUT = 2
"""Programs that look for something end with 1 or 2 where it is not there."""
_REASONS = {
    **dict.fromkeys(OUT_OF_MEMORY, "out of memory, the kernel killed a process of the job"),
    "slurm-node-fail": "the node failed",
    **dict.fromkeys(("slurm-preempted", "batch-preempted"), "the scheduler gave the node to another job"),
    "batch-memory-limit": "the job took more memory than its limit, and the scheduler ended it",
    "k8s-evicted": "Kubernetes took a pod away, for its node ran low on {resource}",
    "cuda-out-of-memory": "the memory of a GPU is full, and the process that needed more ended",
}


def check(
    events: Events | None,
    warnings: Warnings | None,
    sweeps: Sweeps | None,
    tables: MpiTables | None,
    comms: Communicators | None,
    network: Network | None,
) -> Iterator[Finding]:
    """One finding, for the surest reason that the input has: stated, killed, raised, missed by its peers, ended."""
    if events is not None:
        events = Events(runs_ended(events, sweeps, tables).without_grumbles(events.all))
    ended = [death for death in deaths(events) if not death.crashed]
    killed = [death for death in ended if death.signal == KILL]
    stated = (*happened(events, *OUT_OF_MEMORY), *happened(events, *STATED))
    known = tuple(e for e in stated if ended or e.kind != "cuda-out-of-memory")  # a framework may catch it and go on
    missed = silent_peers(warnings, events, sweeps)
    speakers = Speakers.of(warnings, comms, network)
    if known:
        why = _REASONS[known[0].kind].format(resource=known[0].groups.get("resource", "a resource"))
        yield _finding(
            f"{at_hosts(hosts_of(known))}{why}", (*known, *_events(killed)), "certain", remedy=_remedy(known)
        )
    elif killed:
        yield _finding(f"{_who(killed)}: something outside killed it", _events(killed), "likely")
    elif thrown := raised(events):
        error, detail = thrown[0].groups["error"], thrown[0].groups.get("detail", "")
        yield _finding(f"rank {thrown[0].rank} ended with {error}: {detail[:120]}", thrown, "likely")
    elif missed.reports and _missed_first(missed.reports, deaths(events), speakers):
        who = f"a rank on {listed(missed.nodes)}" if missed.nodes else "a rank"
        what = f"{who} went away without an error of its own{_or_the_network(missed)}, as its peers report"
        worst: Severity = "error" if elsewhere_fine(refs_of(missed.reports), sweeps) else "critical"
        sure: Confidence = "likely" if missed.nodes and missed.closed else "possible"
        look = _LOOK if missed.closed else _LOOK_AT_THE_NETWORK
        yield _finding(what, missed.reports, sure, worst, names=missed.nodes, remedy=look)
    elif ended and not _only_a_check(sweeps):
        commands = any(death.event.kind == "command-exited" for death in ended)  # their tables are not its own
        done = sweeps is not None and all(sweep.complete for sweep in sweeps.all) and not commands
        late: Severity = "info" if overcome(refs_of(_events(ended)), sweeps) else "warning"
        grave: Severity = "warning" if all(map(_may_be_a_question, ended)) else "critical"
        if all(death.event.kind == "command-exited" and death.code is not None for death in ended):
            message, own = _who(ended), _events(ended)
            yield _finding(message, own, "likely", explains=(), remedy=_READ_ITS_ERRORS, cause="application-error")
            return
        yield _finding(_who(ended), _events(ended), "possible", late if done else grave, ("output-truncated",))


def _missed_first(reports: Sequence[LogMessage], dead: Sequence[Death], speakers: Speakers) -> bool:
    """A crash would be the reason (process-crashed), unless who crashed had missed its peer before."""
    crashed = [death.event for death in dead if death.crashed]
    return all(any(speakers.before(report, crash) for report in reports) for crash in crashed)


def _may_be_a_question(death: Death) -> bool:
    """``kubectl exec`` says how the command ended that somebody sent: as often ``ls`` or ``grep`` as the job."""
    return death.event.kind == "k8s-command-exit" and death.code is not None and death.code <= _NOT_FOUND_OUT


def _remedy(known: Sequence[JobEvent]) -> Sequence[tuple[str, str]]:
    """Where the host's memory was full, that is the answer; nobody need look for it."""
    if known[0].kind == "k8s-oom-killed":
        return _MORE_MEMORY_IN_A_POD
    return _MORE_MEMORY if known[0].kind in OUT_OF_MEMORY else _LOOK


def _or_the_network(missed: SilentPeers) -> str:
    """NCCL's status alone leaves it open: "remote process exited or there was a network error"."""
    return "" if missed.closed else ", or the network to it failed"


def _events(dead: Sequence[Death]) -> tuple[LogMessage, ...]:
    """The message that reports each death."""
    return tuple(death.event for death in dead)


def _who(dead: Sequence[Death]) -> str:
    """``rank 3 on node07 died of signal 9 (SIGKILL)`` for the first few."""
    return listed(told(dead), 2)


def _only_a_check(sweeps: Sweeps | None) -> bool:
    """Did a benchmark come to its end and find wrong data? Then its exit code is that verdict."""
    return sweeps is not None and any(s.run.out_of_bounds_failed or s.run.average_failed for s in sweeps.all)


def _finding(
    message: str,
    found: Sequence[LogMessage],
    confidence: Confidence,
    severity: Severity = "critical",
    explains: Sequence[str] = LOST_PEER,
    names: Sequence[str] = (),
    remedy: Sequence[tuple[str, str]] = _LOOK,
    cause: str = "rank-lost",
) -> Finding:
    return finding(
        cause,
        message,
        severity=severity,
        confidence=confidence,
        evidence=lines_evidence(refs_of(found), 4),
        suspects=(*suspects("node", names or hosts_of(found)), *suspects("rank", groups_of(found, "rank"))),
        explains=explains,
        remedy=remedy,
        references=[NCCL_TROUBLESHOOTING, SBATCH] if cause == "rank-lost" else [],
    )

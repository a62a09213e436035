"""A rank died or was killed, and the others wait for it.

A process of the job was killed (out of memory, by the node's failure, by somebody), ended with an error, or simply
went away: its peers report "Connection closed by remote peer", which is the echo and not the reason.

Why it matters: every collective needs all ranks. The errors of those that live name the network, and the network is
fine.
How to confirm: look on the node of the lost rank: ``dmesg -T | grep -i -E 'oom|killed process'``, ``sacct -j JOB``,
the rank's own output just before it ends.
What to do: follow the reason of the first death. After an out-of-memory kill give the job more host memory or start
fewer data loader workers.
When it is wrong: an exit code alone may come after all work was done, from a check of the results for instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.deaths import KILL, Death, deaths
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import NCCL_TROUBLESHOOTING, SBATCH
from slowlink.rules.seen import LOST_PEER, Message, at, groups_of, happened, hosts_of, listed, refs_of, times

_OUT_OF_MEMORY = ("oom-killed", "slurm-oom", "k8s-oom-killed")
_NODE_FAILED = ("slurm-node-fail",)
_CLOSED = "peer-closed"


def check(events: Events | None, warnings: Warnings | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """The surest reason for the loss that the input has."""
    ended = [death for death in deaths(events) if not death.crashed]
    killed = [death for death in ended if death.signal == KILL]
    memory, nodes = happened(events, *_OUT_OF_MEMORY), happened(events, *_NODE_FAILED)
    if memory or nodes:
        why = "out of memory, the kernel killed a process of the job" if memory else "the node failed"
        yield _finding(f"{at(hosts_of((*memory, *nodes)))}{why}", (*memory, *nodes, *_events(killed)), "certain")
    elif killed:
        yield _finding(f"{_who(killed)}: something outside killed it", _events(killed), "likely")
    elif ended:
        if not _only_a_check(sweeps):
            done = sweeps is not None and all(sweep.complete for sweep in sweeps.all)
            yield _finding(
                _who(ended), _events(ended), "possible", "warning" if done else "critical", ("output-truncated",)
            )
    elif events is None or not deaths(events):
        yield from _silent(warnings)


def _events(dead: Sequence[Death]) -> tuple[Message, ...]:
    return tuple(death.event for death in dead)


def _who(dead: Sequence[Death]) -> str:
    """``rank 3 on node07 died of signal 9 (SIGKILL)`` for the first few."""
    return listed(list(dict.fromkeys(f"{death.who} {death.how}" for death in dead)), 2)


def _only_a_check(sweeps: Sweeps | None) -> bool:
    """Did a benchmark come to its end and find wrong data? Then its exit code is that verdict."""
    return sweeps is not None and any(s.run.out_of_bounds_failed or s.run.average_failed for s in sweeps.all)


def _silent(warnings: Warnings | None) -> Iterator[Finding]:
    """A peer that others saw go, and that has no error of its own."""
    said = warnings.all if warnings is not None else ()
    failed = [w for w in said if w.level == "WARN" and not w.secondary]
    echoes = [w for w in said if w.message == _CLOSED]
    if failed or not echoes:
        return
    reporting = set(hosts_of(echoes))
    gone = [peer for peer in _peers(echoes) if peer not in reporting]
    who = f"a rank on {listed(gone)}" if gone else "a rank"
    yield _finding(
        f"{who} went away without an error of its own: {times(echoes)} connections to it were closed",
        echoes,
        "likely" if gone else "possible",
        names=gone,
    )


def _peers(echoes: Sequence[LogWarning]) -> tuple[str, ...]:
    """Hosts or addresses in ``host<port>``."""
    return tuple(dict.fromkeys(peer.split("<")[0] for peer in groups_of(echoes, "peer")))


def _finding(
    message: str,
    found: Sequence[Message],
    confidence: Confidence,
    severity: Severity = "critical",
    explains: Sequence[str] = LOST_PEER,
    names: Sequence[str] = (),
) -> Finding:
    return finding(
        "rank-lost",
        message,
        severity=severity,
        confidence=confidence,
        evidence=lines(refs_of(found), 4),
        suspects=(*suspects("node", names or hosts_of(found)), *suspects("rank", groups_of(found, "rank"))),
        explains=explains,
        remedy=[
            ("See on the node what ended the process.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'"),
            ("See how the scheduler accounts for the job.", "sacct -j JOB -o JobID,State,ExitCode,MaxRSS,NodeList"),
        ],
        references=[NCCL_TROUBLESHOOTING, SBATCH],
    )

"""Ranks that went away without a word, as those that lived report."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Events, MeasuredSweep, Sweeps, Warnings
from slowlink.rules.deaths import REMOTE_EXITED
from slowlink.rules.seen import NCCL_FAILURES, Message, groups_of, happened, hosts_of

_CLOSED = "peer-closed"
_NEAR = 3
"""Lines below a run's last line in which its failure is printed."""


def check(events: Events | None, warnings: Warnings | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """The surest reason for the loss that the input has."""
    ended = [death for death in deaths(events) if not death.crashed]
    killed = [death for death in ended if death.signal == KILL]
    stated = (*happened(events, *OUT_OF_MEMORY), *happened(events, *STATED))
    known = tuple(e for e in stated if ended or e.kind != "cuda-out-of-memory")  # a framework may catch it and go on
    echoes, lost = _silent(warnings, events, sweeps)
    if known:
        yield _finding(f"{at(hosts_of(known))}{_STATED[known[0].kind]}", (*known, *_events(killed)), "certain")
    elif killed:
        yield _finding(f"{_who(killed)}: something outside killed it", _events(killed), "likely")
    elif echoes and len(ended) == len(deaths(events)):
        who = f"a rank on {listed(lost)}" if lost else "a rank"
        what = f"{who} went away without an error of its own, as its peers report"
        worst: Severity = "error" if elsewhere_fine(refs_of(echoes), sweeps) else "critical"
        yield _finding(what, echoes, "likely" if lost else "possible", worst, names=lost)
    elif ended and not _only_a_check(sweeps):
        done = sweeps is not None and all(sweep.complete for sweep in sweeps.all)
        yield _finding(
            _who(ended), _events(ended), "possible", "warning" if done else "critical", ("output-truncated",)
        )


def _events(dead: Sequence[Death]) -> tuple[Message, ...]:
    return tuple(death.event for death in dead)


def _who(dead: Sequence[Death]) -> str:
    """``rank 3 on node07 died of signal 9 (SIGKILL)`` for the first few."""
    return listed(list(dict.fromkeys(f"{death.who} {death.how}" for death in dead)), 2)


def _only_a_check(sweeps: Sweeps | None) -> bool:
    """Did a benchmark come to its end and find wrong data? Then its exit code is that verdict."""
    return sweeps is not None and any(s.run.out_of_bounds_failed or s.run.average_failed for s in sweeps.all)


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


def silent_peers(
    warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """What peers say of a rank that went away without an error of its own, and the nodes it may have been on."""
    said = warnings.all if warnings is not None else ()
    failures = happened(events, *NCCL_FAILURES)
    gone = [e for e in failures if REMOTE_EXITED in e.text]
    echoes: tuple[Message, ...] = (*(w for w in said if w.message == _CLOSED), *gone)
    if any(w.level == "WARN" and not w.secondary for w in said) or len(gone) < len(failures):
        return (), ()
    reporting = set(hosts_of(echoes))
    return echoes, tuple(peer for peer in (*_peers(echoes), *_others(gone, sweeps)) if peer not in reporting)


def _others(gone: Sequence[Message], sweeps: Sweeps | None) -> tuple[str, ...]:
    """Nodes of the runs in which these failures were printed."""
    ends = [(e.ref.source, e.ref.line) for e in gone]
    runs = [s for s in (sweeps.all if sweeps is not None else ()) if any(_belongs(s, end) for end in ends)]
    return tuple(dict.fromkeys(host for run in runs for host in run.hosts))


def _belongs(sweep: MeasuredSweep, end: tuple[str, int]) -> bool:
    """Is this line in the run's own part of its source, or right below it?"""
    source, line = end
    last = sweep.run.end.line if sweep.run.end is not None else sweep.run.header.line
    return source == sweep.run.source and sweep.run.header.line <= line <= last + _NEAR


def _peers(echoes: Sequence[Message]) -> tuple[str, ...]:
    """Hosts or addresses in ``host<port>``."""
    return tuple(dict.fromkeys(peer.split("<")[0] for peer in groups_of(echoes, "peer")))

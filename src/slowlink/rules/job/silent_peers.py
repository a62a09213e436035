"""Ranks that went away without a word, as those that lived report."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Events, MeasuredSweep, Sweeps, Warnings
from slowlink.rules.evidence.messages import NCCL_FAILURES, LogMessage, groups_of, happened, hosts_of
from slowlink.rules.job.process_ends import REMOTE_EXITED

_CLOSED = "peer-closed"
_NEAR = 3
"""Lines below a run's last line in which its failure is printed."""


def silent_peers(
    warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None
) -> tuple[tuple[LogMessage, ...], tuple[str, ...]]:
    """What peers say of a rank that went away without an error of its own, and the nodes it may have been on."""
    said = warnings.all if warnings is not None else ()
    failures = happened(events, *NCCL_FAILURES)
    gone = [e for e in failures if REMOTE_EXITED in e.text]
    echoes: tuple[LogMessage, ...] = (*(w for w in said if w.message == _CLOSED), *gone)
    if any(w.level == "WARN" and not w.secondary for w in said) or len(gone) < len(failures):
        return (), ()
    reporting = set(hosts_of(echoes))
    return echoes, tuple(peer for peer in (*_peers(echoes), *_others(gone, sweeps)) if peer not in reporting)


def _others(gone: Sequence[LogMessage], sweeps: Sweeps | None) -> tuple[str, ...]:
    """Nodes of the runs in which these failures were printed."""
    ends = [(e.ref.source, e.ref.line) for e in gone]
    runs = [s for s in (sweeps.all if sweeps is not None else ()) if any(_belongs(s, end) for end in ends)]
    return tuple(dict.fromkeys(host for run in runs for host in run.hosts))


def _belongs(sweep: MeasuredSweep, end: tuple[str, int]) -> bool:
    """Is this line in the run's own part of its source, or right below it?"""
    source, line = end
    last = sweep.run.end.line if sweep.run.end is not None else sweep.run.header.line
    return source == sweep.run.source and sweep.run.header.line <= line <= last + _NEAR


def _peers(echoes: Sequence[LogMessage]) -> tuple[str, ...]:
    """Hosts or addresses in ``host<port>``."""
    return tuple(dict.fromkeys(peer.split("<")[0] for peer in groups_of(echoes, "peer")))

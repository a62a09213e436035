"""Ranks that went away without an error of their own, as those that lived on report it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slowlink.model.facts import Events, MeasuredSweep, Sweeps, Warnings
from slowlink.rules.evidence.messages import NCCL_FAILURES, LogMessage, groups_of, happened, hosts_of
from slowlink.rules.job.process_ends import REMOTE_EXITED

_CLOSED = "peer-closed"
_LEFT_PMIX = "slurm-pmix-peer-lost"
"""Slurm's daemon tells that a process of its node closed the connection to PMIx without finalising."""
_NEAR = 3
"""Lines below a run's last line in which its failure is printed."""


class SilentPeers(NamedTuple):
    """Ranks that went away without an error of their own; empty where nobody reports one."""

    reports: tuple[LogMessage, ...] = ()
    """What their peers say of them."""
    nodes: tuple[str, ...] = ()
    """Where they may have been: nodes, or addresses, that report nothing themselves."""
    closed: bool = False
    """Does a peer say that its connection was closed, which a process that ends does and a broken network does not?"""


def silent_peers(warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None) -> SilentPeers:
    """The ranks that their peers miss, where no rank has an error of its own that would be the reason."""
    logged = warnings.all if warnings is not None else ()
    failures = happened(events, *NCCL_FAILURES)
    gone = [e for e in failures if REMOTE_EXITED in e.text]
    if any(w.level == "WARN" and not w.secondary for w in logged) or len(gone) < len(failures):
        return SilentPeers()  # a warning that is no echo, or another failure, is the reason
    closed = [w for w in logged if w.message == _CLOSED]
    left = happened(events, _LEFT_PMIX)
    reports: tuple[LogMessage, ...] = (*closed, *gone)
    reporting = set(hosts_of(reports))
    peers = (*_named_peers(reports), *_nodes_of_runs(gone, sweeps))
    nodes = (*hosts_of(left), *(peer for peer in peers if peer not in reporting))
    return SilentPeers((*left, *reports), tuple(dict.fromkeys(nodes)), bool(closed or left))


def _nodes_of_runs(gone: Sequence[LogMessage], sweeps: Sweeps | None) -> tuple[str, ...]:
    """Nodes of the runs in which these failures were printed."""
    ends = [(e.ref.source, e.ref.line) for e in gone]
    runs = [s for s in (sweeps.all if sweeps is not None else ()) if any(_belongs(s, end) for end in ends)]
    return tuple(dict.fromkeys(host for run in runs for host in run.hosts))


def _belongs(sweep: MeasuredSweep, end: tuple[str, int]) -> bool:
    """Is this line in the run's own part of its source, or right below it?"""
    source, line = end
    last = sweep.run.end.line if sweep.run.end is not None else sweep.run.header.line
    return source == sweep.run.source and sweep.run.header.line <= line <= last + _NEAR


def _named_peers(reports: Sequence[LogMessage]) -> tuple[str, ...]:
    """Hosts or addresses in ``host<port>``."""
    return tuple(dict.fromkeys(peer.split("<")[0] for peer in groups_of(reports, "peer")))

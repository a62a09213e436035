"""Communicators, and which host each rank of the largest one runs on."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Communicators
from slowlink.model.nccl import CommInit, LogProcess, NcclLog


def communicators(logs: Sequence[NcclLog]) -> Communicators | None:
    """None when no log line told of a communicator."""
    all_comms = tuple(comm for log in logs for comm in log.comms)
    if not all_comms:
        return None
    processes = tuple(dict.fromkeys(process for log in logs for process in log.processes))
    nranks = max((comm.nranks for comm in all_comms if comm.nranks is not None), default=None)
    host_of_rank = _host_of_rank(all_comms, nranks)
    return Communicators(
        all=all_comms,
        processes=processes,
        nranks=nranks,
        hosts=_hosts(processes, host_of_rank),
        host_of_rank=host_of_rank,
        incomplete=tuple(comm for comm in all_comms if comm.started is not None and comm.completed is None),
    )


def _host_of_rank(comms: Sequence[CommInit], nranks: int | None) -> dict[int, str]:
    largest = [c for c in comms if c.nranks == nranks and c.rank is not None and c.process.host is not None]
    return {c.rank: c.process.host for c in largest if c.rank is not None and c.process.host is not None}


def _hosts(processes: Sequence[LogProcess], host_of_rank: dict[int, str]) -> tuple[str, ...]:
    """Hosts in order of rank, then those that logged without a rank."""
    ranked = [host_of_rank[rank] for rank in sorted(host_of_rank)]
    return tuple(dict.fromkeys([*ranked, *(p.host for p in processes if p.host is not None)]))

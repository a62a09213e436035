"""Which process a message is of, and whether two messages are of one: only within a process does the order of lines
tell what came first. A launcher or a shell tells late of what happened long ago, and of another process."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.facts import Communicators, Network, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.rules.evidence.messages import LogMessage, host_of


class Speakers(Struct, frozen=True):
    """The processes that log with NCCL, by source."""

    by_source: dict[str, set[tuple[str | None, int]]]
    talkative: frozenset[str]
    """Sources whose processes also log when all is well: who is not among them is not there."""

    @classmethod
    def of(cls, warnings: Warnings | None, comms: Communicators | None, network: Network | None) -> Speakers:
        """Those of all lines that tell their process."""
        known: dict[str, set[tuple[str | None, int]]] = {}
        at_ease = (
            *(
                (ref, each.process)
                for each in (comms.all if comms is not None else ())
                for ref in (each.started, each.completed)
                if ref is not None
            ),
            *((each.ref, each.process) for each in (network.bootstraps if network is not None else ())),
        )
        warned = ((each.ref, each.process) for each in (warnings.all if warnings is not None else ()))
        for ref, process in (*at_ease, *warned):
            if process.pid is not None:
                known.setdefault(ref.source, set()).add((process.host, process.pid))
        return cls(known, frozenset(ref.source for ref, _ in at_ease))

    def before(self, earlier: LogMessage, later: LogMessage) -> bool | None:
        """Did one process say the one and the other happen to it afterwards? None: they may be of two processes on one
        node, or nothing tells of whom the later one is."""
        if earlier.ref.source != later.ref.source or earlier.ref.line >= later.ref.line:
            return False
        hosts, pids, ranks = ((of(earlier), of(later)) for of in (host_of, _pid_of, _rank_of))
        if None not in hosts and hosts[0] != hosts[1]:
            return False
        for one, other in (pids, ranks):
            if one is not None and other is not None:
                return one == other
        unnamed = pids[1] is None and ranks[1] is None
        alone = len(self.by_source.get(later.ref.source, ())) == 1 and later.ref.source in self.talkative
        return True if unnamed and alone else None


def _pid_of(message: LogMessage) -> int | None:
    if isinstance(message, LogWarning):
        return message.process.pid
    pid = message.groups.get("pid", "")
    return int(pid) if pid.isascii() and pid.isdecimal() and len(pid) < 10 else None


def _rank_of(message: LogMessage) -> int | None:
    if isinstance(message, LogWarning):
        return message.process.rank
    rank = message.groups.get("rank", message.groups.get("task", ""))
    told = int(rank) if rank.isascii() and rank.isdecimal() and len(rank) < 10 else None
    return message.rank if message.rank is not None else told

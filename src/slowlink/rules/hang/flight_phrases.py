"""How ranks, operations and fields of flight recorders are worded in findings."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.facts.hang.group_names import short_group
from slowlink.model.hang import Blocked, FlightEntry, FlightSet, ProcessGroup, Wait
from slowlink.model.report import Evidence
from slowlink.rules.evidence.messages import counted, listed


def rank_names(ranks: Sequence[int], most: int = 6) -> str:
    """``rank 3``, ``ranks 3 and 7``."""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {listed([str(rank) for rank in ranks], most)}"


def group_name(group: ProcessGroup) -> str:
    """``EXPERT_MODEL``, ``default_pg``, or ``process group 12`` for one that nobody named."""
    return short_group(group.description) or f"process group {group.name}"


def operation_name(wait: Wait) -> str:
    """``all_reduce 20538 of EXPERT_MODEL``, for an operation that ranks wait in."""
    return f"{wait.operation} {wait.seq} of {group_name(wait.group)}"


def entry_name(entry: FlightEntry) -> str:
    """``all_reduce 20538 of EXPERT_MODEL``, for one rank's own entry."""
    return f"{entry.operation} {entry.seq} of {short_group(entry.description) or f'process group {entry.group}'}"


def ranks_lacking(wait: Wait) -> tuple[int, ...]:
    """Ranks that the operation lacks: those in it wait for them."""
    return (*wait.absent, *wait.elsewhere, *wait.unknown)


def leading_wait(guilty: Sequence[Blocked]) -> Wait | None:
    """The wait that lacks the most of these ranks; of several the one that most ranks are in. None for no waits."""
    ranks = {each.rank for each in guilty}
    waits = {id(wait): wait for each in guilty for wait in each.waits}.values()
    return max(waits, key=lambda wait: (len(ranks.intersection(ranks_lacking(wait))), len(wait.waiting)), default=None)


def evidence_of_wait(found: FlightSet, wait: Wait) -> Evidence:
    """The entry of one rank that waits, as evidence."""
    rank, entry = wait.sample
    ref = found.dumps[rank].ref
    text = f'rank {rank}, pg {wait.group.name} "{wait.group.description}": {wait.operation} {wait.seq} {entry.state}'
    return Evidence(ref.source, ref.line, text[:400], f"{counted(len(wait.waiting), 'rank')} in it")


def evidence_of_blocked(found: FlightSet, blocked: Blocked) -> Evidence:
    """How far the rank came that the others wait for; without a dump of it, that the groups of another name it."""
    wait = blocked.waits[0]
    where = f'rank {blocked.rank}, pg {wait.group.name} "{wait.group.description}"'
    dump = found.dumps.get(blocked.rank)
    if dump is None:
        ref = found.dumps[wait.sample[0]].ref
        return Evidence(ref.source, ref.line, f"pg_config names rank {blocked.rank}; no dump of it is here"[:400])
    text = f"{where}: last_enqueued_collective {blocked.last_enqueued}"
    if blocked.oldest is not None:
        text = f"rank {blocked.rank}: oldest unfinished {entry_name(blocked.oldest)}, {blocked.oldest.state}"
    elif blocked.last_enqueued is None:
        text = f"{where}: no entry"
    return Evidence(dump.ref.source, dump.ref.line, text[:400], "", f"{wait.operation} {wait.seq} enqueued")

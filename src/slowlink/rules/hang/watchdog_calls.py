"""Which operation each rank timed out in, as PyTorch's watchdog prints it: ranks of one group may be in different ones
under one number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.rules.evidence.messages import happened
from slowlink.rules.hang.watchdog_status import progress_lines

_PAIRED = frozenset({"SEND", "RECV", "COALESCED", "RECVANYSOURCE", "UNKNOWN"})
"""Operations that pair up with another one, or that stand for several."""
_EQUAL_SIZES = frozenset({"ALLREDUCE", "BROADCAST", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE"})
"""Operations whose number of elements is the same on all ranks; others may be uneven by design."""
_FEWEST_ALIKE = 2
"""So many ranks in one operation show which one was due. Where the group is named, any two that differ are wrong."""


class OddCall(Struct, frozen=True):
    """Ranks whose operation is not that of most others under the same number of the same group."""

    seq: str
    group: str
    """Name of the process group; "" where no line names it."""
    odd: tuple[JobEvent, ...]
    usual: tuple[JobEvent, ...]


def odd_calls(events: Events | None) -> Iterator[OddCall]:
    """One for each number under which ranks timed out in different operations, or in one of different sizes."""
    groups = {
        (event.rank, event.groups["work"]): event.groups.get("group", "")
        for event in progress_lines(events)
        if "work" in event.groups
    }
    numbered: dict[tuple[str, str], list[JobEvent]] = defaultdict(list)
    for event in happened(events, "torch-watchdog-timeout"):
        seq = event.groups.get("seq")
        if seq is not None and event.rank is not None and event.groups.get("op", "").upper() not in _PAIRED:
            numbered[groups.get((event.rank, seq), ""), seq].append(event)
    for (group, seq), called in numbered.items():
        counts = Counter(map(call_of, called))
        (usual, most), *others = counts.most_common()
        if others and (group or (most >= _FEWEST_ALIKE and most > others[0][1])):
            odd = tuple(event for event in called if call_of(event) != usual)
            yield OddCall(seq, group, odd, tuple(event for event in called if call_of(event) == usual))


def call_of(event: JobEvent) -> str:
    """``ALLREDUCE of 4096 elements``; the size only where all ranks must have the same."""
    operation = event.groups["op"]
    size = event.groups.get("numel_in")
    return f"{operation} of {size} elements" if size and operation.upper() in _EQUAL_SIZES else operation

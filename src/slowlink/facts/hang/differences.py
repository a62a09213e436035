"""Ranks that called something else under the same number of the same group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slowlink.facts.hang.progress import Key, Progress
from slowlink.model.hang import Difference, FlightEntry

EQUAL_ON_ALL = frozenset(
    {
        "all_reduce",
        "all_reduce_barrier",
        "allreduce_coalesced",
        "barrier",
        "broadcast",
        "reduce",
        "_all_gather_base",
        "all_gather_into_tensor",
        "_reduce_scatter_base",
        "reduce_scatter_tensor",
    }
)
"""Collectives whose sizes must be equal on all ranks. All-to-all, gather, scatter and lists of tensors may differ."""


def differences(ranks: Mapping[int, Progress]) -> tuple[Difference, ...]:
    """The first difference of each group, where a rank still waits in it or in something newer of that group."""
    found: dict[Key, list[int]] = {}
    for rank, progress in ranks.items():
        for key in progress.known:
            if not key.p2p:
                found.setdefault(key, []).append(rank)
    waiting: dict[object, int] = {}
    for progress in ranks.values():
        for key in progress.unfinished:
            if not key.p2p:
                waiting[key.group] = max(key.seq, waiting.get(key.group, key.seq))
    told: set[object] = set()
    result = []
    for key in sorted(found, key=lambda key: (key.group.name, key.seq)):
        if key.group in told or key.seq > waiting.get(key.group, -1):
            continue
        difference = _difference(key, {rank: ranks[rank].known[key] for rank in found[key]})
        if difference is not None:
            told.add(key.group)
            result.append(difference)
    return tuple(result)


def _difference(key: Key, entries: Mapping[int, FlightEntry]) -> Difference | None:
    first = next(iter(entries.values()))
    for what in ("operation", "sizes", "dtypes"):
        if what == "sizes" and first.operation not in EQUAL_ON_ALL:
            return None
        shares: dict[object, list[int]] = {}
        for rank, entry in entries.items():
            said = _said(what, entry)
            if said is not None:
                shares.setdefault(said, []).append(rank)
        if len(shares) > 1:
            usual, *odd = sorted(shares.values(), key=len, reverse=True)
            return Difference(
                key.group,
                key.seq,
                what,
                tuple(sorted(usual)),
                _flat(odd),
                entries[usual[0]],
                entries[odd[0][0]],
            )
    return None


def _said(what: str, entry: FlightEntry) -> object:
    """What must be equal; None where the dump does not tell."""
    if what == "operation":
        return entry.operation
    if what == "sizes":
        return None if entry.input_sizes is None else (entry.input_sizes, entry.output_sizes)
    return entry.input_dtypes


def _flat(parts: Iterable[Iterable[int]]) -> tuple[int, ...]:
    return tuple(sorted(rank for part in parts for rank in part))

"""Plain values of hanging jobs: ``ras_...`` of NCCL's RAS, ``flight_...`` of flight recorders, ``injected_...``.

``flight_oldest_unfinished`` and its like are dicts by rank, then by process group.
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.facts.hang.group_names import short_group
from slowlink.model.facts import Facts
from slowlink.model.hang import FlightDump, Flights, FlightSet, Injected, Ras, RasMismatch

_WATCHDOG = ("torch-watchdog-", "torch-heartbeat-")
MOST_RANKS = 1024
"""Dicts by rank hold the first so many."""


def summarise_hang(facts: Facts) -> dict[str, object]:
    """Values of everything that shows where a job hangs; a name is absent when nothing of its kind was read."""
    return {**_watchdog(facts), **_ras(facts.ras), **_flights(facts.flights), **_injected(facts.injected)}


def _watchdog(facts: Facts) -> dict[str, object]:
    """Messages of PyTorch's watchdog; 0 says that a job's output was read and none stood in it."""
    if facts.events is None and facts.communicators is None:
        return {}
    events = facts.events.all if facts.events is not None else ()
    return {"watchdog_messages": sum(event.count for event in events if event.kind.startswith(_WATCHDOG))}


def _ras(found: Ras | None) -> dict[str, object]:
    if found is None:
        return {}
    comms = [comm for snapshot in found.all for comm in snapshot.communicators]
    operations = [m for comm in comms for m in comm.mismatches if m.kind == "operations"]
    errors = [
        e for snapshot in found.all for e in (*snapshot.errors, *(e for c in snapshot.communicators for e in c.errors))
    ]
    lost = [p for error in errors if error.kind in ("missing-rank", "missing-process", "dead") for p in error.members]
    groups = [group for snapshot in found.all for group in snapshot.groups]
    return {
        "ras_answers": len(found.all),
        "ras_nccl": _distinct(snapshot.nccl for snapshot in found.all),
        "ras_timestamps": _distinct(snapshot.timestamp for snapshot in found.all),
        "ras_cuda_runtime": _distinct(snapshot.cuda_runtime for snapshot in found.all),
        "ras_cuda_driver": _distinct(snapshot.cuda_driver for snapshot in found.all),
        "ras_nodes": _distinct(snapshot.nodes for snapshot in found.all),
        "ras_processes": _distinct(snapshot.processes for snapshot in found.all),
        "ras_gpus": _distinct(snapshot.gpus for snapshot in found.all),
        "ras_outlier_nodes": _distinct(host for snapshot in found.all for host in snapshot.outliers),
        "ras_communicators": _distinct(snapshot.count for snapshot in found.all),
        "ras_hashes": _distinct(comm.hash for comm in comms),
        "ras_sizes": _distinct([*(comm.size for comm in comms), *(group.size for group in groups)]),
        "ras_ranks_present": _distinct(comm.present for comm in comms),
        "ras_status": _distinct(group.status for group in groups),
        "ras_errors": _distinct(name for group in groups for name in group.errors),
        "ras_error_counts": _summed((error.kind, error.count) for error in errors),
        "ras_error_codes": _distinct(code for error in errors for code in error.codes),
        "ras_missing_ranks": _distinct(process.rank for process in lost),
        "ras_missing_processes": _distinct(process.pid for process in lost),
        "ras_missing_hosts": _distinct(process.host for process in lost),
        "ras_unresponsive": _distinct(None if p.responsive is None else not p.responsive for p in lost),
        "ras_considered_dead": _distinct(process.dead for process in lost),
        "ras_timeouts": sum(snapshot.timeouts for snapshot in found.all),
        "ras_mismatches": len(operations),
        "ras_status_shares": [
            _summed((share.status or "", share.ranks) for share in m.shares)
            for comm in comms
            for m in comm.mismatches
            if m.kind == "status"
        ],
        **_mismatches(operations),
    }


def _mismatches(operations: list[RasMismatch]) -> dict[str, object]:
    """For each mismatch: ranks that are furthest and where, and all others and where the last of them is."""
    ahead, behind, names = [], [], []
    for mismatch in operations:
        shares = sorted(mismatch.shares, key=lambda share: -1 if share.operation is None else share.operation)
        if len(shares) > 1:
            ahead.append(shares[-1])
            behind.append((sum(share.ranks for share in shares[:-1]), shares[0].operation))
            names.append([p.rank for share in shares[:-1] for p in share.members])
    return {
        "ras_ranks_ahead": [share.ranks for share in ahead],
        "ras_ranks_behind": [ranks for ranks, _ in behind],
        "ras_operation_ahead": [share.operation for share in ahead],
        "ras_operation_behind": [operation for _, operation in behind],
        "ras_behind": names,
        "ras_collectives": _distinct(mismatch.collective for mismatch in operations),
    }


def _flights(found: Flights | None) -> dict[str, object]:
    if found is None:
        return {}
    dumps = [*(dump for each in found.all for dump in each.dumps.values()), *found.unplaced]
    listed = [(rank, dump) for each in found.all for rank, dump in sorted(each.dumps.items())][:MOST_RANKS]
    return {
        "flight_dumps": len(dumps),
        "flight_versions": _distinct(dump.version for dump in dumps),
        "flight_nccl": _distinct(dump.nccl for dump in dumps),
        "flight_ranks": max((len(each.ranks) for each in found.all), default=None),
        "flight_missing_ranks": sorted({rank for each in found.all for rank in each.missing})[:MOST_RANKS],
        "flight_unreadable_ranks": sorted({rank for each in found.all for rank in each.unreadable}),
        "flight_suspect_ranks": sorted({each.rank for one in found.all if _tells(one) for each in one.blocked}),
        "flight_groups": _groups(dumps),
        "flight_entries": {str(rank): len(dump.entries) for rank, dump in listed if not dump.partial},
        "flight_states": {str(rank): _summed((entry.state, 1) for entry in dump.entries) for rank, dump in listed},
        "flight_oldest_unfinished": {str(rank): _unfinished(dump) for rank, dump in listed},
        **_status(found.all),
        **_waits(found.all),
    }


def _tells(found: FlightSet) -> bool:
    """Do these dumps name suspects: not where the job went on, nor where most dumps are not here."""
    return not found.moved and 2 * len(found.dumps) >= len(found.ranks)


def _groups(dumps: Iterable[FlightDump]) -> dict[str, list[int]]:
    """Ranks of each process group, by its name."""
    groups = {group.name: group for dump in dumps for group in dump.groups.values()}
    return {name: list(group.ranks[:MOST_RANKS]) for name, group in list(groups.items())[:MOST_RANKS]}


def _unfinished(dump: FlightDump) -> dict[str, int]:
    """The oldest number of each group that is not completed, by the group's short description."""
    found: dict[str, int] = {}
    for entry in dump.entries:
        if entry.state != "completed":
            name = short_group(entry.description) or entry.group
            found[name] = min(entry.seq, found.get(name, entry.seq))
    return found


def _status(sets: Iterable[FlightSet]) -> dict[str, object]:
    """Numbers of the last work by rank, then by the name of the group."""
    values: dict[str, dict[str, dict[str, int | None]]] = {"enqueued": {}, "started": {}, "completed": {}}
    for each in sets:
        for rank, groups in list(each.status.items())[:MOST_RANKS]:
            for word, by_rank in values.items():
                by_rank[str(rank)] = {name: getattr(status, word) for name, status in groups.items()}
    return {f"flight_last_{word}": by_rank for word, by_rank in values.items()}


def _waits(sets: Iterable[FlightSet]) -> dict[str, object]:
    """What ranks wait in, the widest first."""
    waits = [wait for each in sets for wait in each.waits][:100]
    differences = [each for one in sets for each in one.differences][:100]
    return {
        "flight_waits": [
            {
                "group": short_group(wait.group.description) or wait.group.name,
                "operation": wait.operation,
                "seq": wait.seq,
                "waiting": list(wait.waiting[:MOST_RANKS]),
                "missing": list(wait.absent[:MOST_RANKS]),
                "blocked": list(wait.elsewhere[:MOST_RANKS]),
                "unknown": list(wait.unknown[:MOST_RANKS]),
            }
            for wait in waits
        ],
        "flight_differences": [
            {"group": each.group.name, "seq": each.seq, "what": each.what, "ranks": list(each.odd)}
            for each in differences
        ],
    }


def _injected(found: Injected | None) -> dict[str, object]:
    if found is None:
        return {}
    return {
        "injected_ranks": sorted({rank for each in found.all for rank in each.ranks}),
        "injected_faults": _distinct(each.fault for each in found.all),
        "injected_delay_s": _distinct(each.delay_s for each in found.all),
    }


def _distinct(values: Iterable[object]) -> list[object]:
    return list(dict.fromkeys(value for value in values if value is not None))


def _summed(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, number in pairs:
        sums[name] = sums.get(name, 0) + number
    return sums

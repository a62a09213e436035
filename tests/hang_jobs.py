"""Flight recorders of small jobs, as PyTorch's dicts: what each rank enqueued, and how far it came."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Dump = dict[str, Any]
CREATED_NS = 1_700_000_000_000_000_000


def entry(
    record: int,
    seq: int,
    *,
    operation: str = "all_reduce",
    state: str = "completed",
    group: tuple[str, str] = ("0", "default_pg"),
    group_id: int = 0,
    shape: Sequence[int] = (1024,),
    dtype: str = "Float",
    p2p: bool = False,
    **more: object,
) -> dict[str, Any]:
    """One operation as it stands in a dump."""
    return {
        "record_id": record,
        "pg_id": group_id,
        "process_group": list(group),
        "collective_seq_id": 0 if p2p else seq,
        "p2p_seq_id": seq if p2p else 0,
        "op_id": seq,
        "profiling_name": f"nccl:{operation}",
        "time_created_ns": CREATED_NS + record * 1_000_000,
        "input_sizes": [list(shape)],
        "input_dtypes": [dtype],
        "output_sizes": [list(shape)],
        "output_dtypes": [dtype],
        "state": state,
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None,
        "retired": state == "completed",
        "timeout_ms": 600000,
        "is_p2p": p2p,
        "frames": [{"name": "step", "filename": "/job/train.py", "line": 41}],
        **more,
    }


def dump(
    entries: Iterable[Mapping[str, Any]],
    groups: Mapping[str, tuple[str, Sequence[int]]],
    status: Mapping[str, Mapping[str, int]] | None = None,
) -> Dump:
    """One rank's dict."""
    return {
        "version": "2.5",
        "nccl_version": "2.21.5",
        "pg_config": {n: {"name": n, "desc": d, "ranks": str(list(r))} for n, (d, r) in groups.items()},
        "pg_status": dict(status or {}),
        "entries": list(entries),
    }


def status(enqueued: int, completed: int) -> dict[str, int]:
    return {
        "last_enqueued_collective": enqueued,
        "last_started_collective": -1,
        "last_completed_collective": completed,
    }


def data_parallel(enqueued: Mapping[int, int], completed: int, nranks: int | None = None) -> dict[int, Dump]:
    """A job with one group: rank -> dump, when each rank has enqueued so many all-reduces and all finished the first."""
    world = list(range(nranks if nranks is not None else len(enqueued)))
    return {
        rank: dump(
            [entry(n, n, state="completed" if n <= completed else "scheduled") for n in range(1, last + 1)],
            {"0": ("default_pg", world)},
            {"0": status(last, min(last, completed))},
        )
        for rank, last in enqueued.items()
    }


def save(dumps: Mapping[int, Dump], folder: Path, protocol: int = 2, prefix: str = "nccl_trace_rank_") -> Path:
    """One pickle a rank."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank, content in dumps.items():
        (folder / f"{prefix}{rank}").write_bytes(pickle.dumps(content, protocol=protocol))
    return folder

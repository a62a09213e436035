"""Lines as NCCL's Inspector writes them (``plugins/profiler/inspector/inspector_json.cc``): no blanks between tokens."""

from __future__ import annotations

import json
from typing import Any


def line(
    *,
    comm: str = "0x7a3c1f",
    name: str = "TP",
    rank: int = 2,
    nranks: int = 8,
    nnodes: int = 1,
    host: str = "node07",
    pid: int = 4100,
    coll: str = "AllReduce",
    number: int = 17,
    size: int = 1 << 20,
    time_us: int = 61,
    written_us: int = 1_790_000_000_000_000,
    timing: str = "kernel_gpu",
    trace: tuple[int, ...] = (),
) -> str:
    """One collective. ``trace``: when each channel's kernel stopped, as the verbose form has it."""
    perf: dict[str, Any] = {
        "coll": coll,
        "coll_sn": number,
        "coll_msg_size_bytes": size,
        "coll_exec_time_us": time_us,
        "coll_timing_source": timing,
        "coll_algobw_gbs": 17.189836,
        "coll_busbw_gbs": 30.082213,
    }
    if trace:
        perf["event_trace_sn"] = {"coll_start_sn": 1, "coll_stop_sn": 2, "kernel_events": []}
        events = [{"channel_id": c, "kernel_start_ts": t - time_us, "kernel_stop_ts": t} for c, t in enumerate(trace)]
        perf["event_trace_ts"] = {"coll_start_ts": 1, "coll_stop_ts": 2, "kernel_events": events}
    return whole(comm, name, rank, nranks, nnodes, host, pid, written_us, "coll_perf", perf)


def sent(*, peer: int, number: int = 1, time_us: int = 40, comm: str = "0x7a3c1f", kind: str = "Send") -> str:
    """One send or receive of rank 2."""
    perf = {
        "p2p": kind,
        "p2p_sn": number,
        "p2p_peer": peer,
        "p2p_msg_size_bytes": 65536,
        "p2p_exec_time_us": time_us,
        "p2p_timing_source": "kernel_gpu",
        "p2p_algobw_gbs": 1.6384,
        "p2p_busbw_gbs": 1.6384,
    }
    return whole(comm, "PP", 2, 8, 4, "node07", 4100, 1_790_000_000_000_000, "p2p_perf", perf)


def whole(*parts: Any) -> str:
    comm, name, rank, nranks, nnodes, host, pid, written_us, key, perf = parts
    value = {
        "header": {"id": comm, "comm_name": name, "rank": rank, "n_ranks": nranks, "nnodes": nnodes},
        "metadata": {
            "inspector_output_format_version": "v4.0",
            "git_rev": "1f2e3d4",
            "rec_mechanism": "nccl_profiler_interface",
            "dump_timestamp_us": written_us,
            "hostname": host,
            "pid": pid,
        },
        key: perf,
    }
    return json.dumps(value, separators=(",", ":"))

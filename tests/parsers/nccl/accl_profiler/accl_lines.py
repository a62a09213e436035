"""Lines as ROCm's accl-profiler writes them (``accl_profiler.cc``, ``acclWriteRecord``): no blanks between tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping

TICKS_PER_US = 100


def name_of(rank: int = 2, host: str = "node07", pid: int = 4100, comm: str = "0x7a3c1f") -> str:
    """Of the file."""
    return f"accl_profiler_rank{rank}_{host}_pid{pid}_{comm}.jsonl"


def line(
    *,
    rank: int = 2,
    nranks: int = 8,
    coll: str = "AllReduce",
    number: int = 17,
    size: int = 1 << 22,
    time_us: float = 151.2,
    stop_us: float = 812_551.2,
    events: list[dict[str, int]] | None = None,
    parts: Mapping[str, float] | None = None,
    old: bool = False,
) -> str:
    """One collective on one channel. ``old``: as the first form had it."""
    stop = round(stop_us * TICKS_PER_US)
    start = stop - round(time_us * TICKS_PER_US)
    one = {"channel_id": 0, "kernel_start_ts": start, "kernel_stop_ts": stop, "duration_us": int(time_us)}
    told = {
        "launch_overhead_us" if old else "enqueue_to_kernel_us": 6.0,
        "gpu_kernel_avg_us": time_us,
        "gpu_kernel_min_us": time_us,
        "gpu_kernel_max_us": time_us,
        "proxy_gpu_wait_us": 11.0,
        "proxy_network_us": 64.0,
        "proxy_peer_wait_us": 3.0,
        "proxy_flush_us": 7.0,
        "proxy_gpu_recv_wait_us": 9.0,
        "n_proxy_ops": 2,
        "n_send_ops": 1,
        "n_recv_ops": 1,
    }
    value = {
        "header": {"rank": rank, "n_ranks": nranks},
        "coll_perf": {
            "coll": coll,
            "coll_sn": number,
            "coll_msg_size_bytes": size,
            "coll_algo": "Ring",
            "coll_proto": "Simple",
            "coll_n_channels": 1,
            **({} if old else {"coll_n_channels_reported": 1}),
            "coll_exec_time_us": time_us,
            "coll_algobw_gbs": 27.740000,
            "coll_busbw_gbs": 48.540000,
            "coll_timing_source": "gpu_globaltimer",
            "decomposition": {**told, **(parts or {})},
            "event_trace_ts": {"kernel_events": [one] if events is None else events},
        },
    }
    return json.dumps(value, separators=(",", ":"))


def summary(*, complete: bool = True, **counts: int) -> str:
    """The last line."""
    value = {
        "dropped_collectives": 0,
        "leaked_collectives": 0,
        "dropped_proxy_ops": 0,
        "dropped_proxy_steps": 0,
        "overflow_proxy_ops": 0,
        "coll_pool_size": 256,
        "proxy_op_pool_size": 1024,
        "proxy_step_pool_size": 4096,
        "max_proxy_ops_per_coll": 256,
        **counts,
        "complete": complete,
    }
    return json.dumps({"summary": value}, separators=(",", ":"))

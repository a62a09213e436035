"""What RCCL's network telemetry writes (``rcclTelemetryWriteJson``), for one process that uses one HCA."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MLX5 = {"ecn_marked_pkts": 0, "cnp_sent": 0, "oos_drop_count": 0, "seq_err_naks_rcvd": 0, "local_ack_timeout_err": 0}


def telemetry(
    *,
    host: str = "node07",
    process: int = 4100,
    device: str = "mlx5_0",
    counters: Mapping[str, object] | None = None,
    histogram: tuple[int, ...] = (60_000, 9_000, 400, 30, 6),
    sends: int = 69_436,
    size: int = 1 << 20,
    failed: int = 0,
    untracked: int = 0,
    every: int = 1,
) -> dict[str, Any]:
    """``histogram``: sends in buckets of 30 us. ``every``: one in so many was timed."""
    buckets = [{"latency_ns": 30_000 * place, "num_wqe": count} for place, count in enumerate(histogram, 1)]
    pair = {
        "id": 0,
        "data_qp": True,
        "num_wqe_sent": sends,
        "num_recv_wqe": 0,
        "num_wqe_rcvd": sends,
        "num_wqe_completed": sends,
        "num_slot_miss": 12,
        "num_cts_sent": 0,
        **({"num_wqe_sampled": sum(histogram)} if every > 1 else {}),
        "wqe_completion_ns_min": 9_100,
        "wqe_completion_ns_max": 412_000,
        "wqe_completion_histogram": buckets,
    }
    receiving = {**pair, "id": 1, "num_recv_wqe": 70_000, "num_wqe_sent": 0}
    ready = {**pair, "id": 2, "data_qp": False}
    idle = [-1] * 8
    return {
        "version": "1.0",
        "host_name": host,
        "process_name": "python3",
        "process_id": str(process),
        "start_time": "2026-09-21 14:13:20",
        "end_time": "2026-09-21 15:02:11",
        "transport": "IB-CAST",
        **({"latency_sample_interval": every} if every > 1 else {}),
        "devices": [
            {
                "device_id": 0,
                "roce_device": device,
                "eth_device": "ens1np0",
                "hw_type": "mlx5",
                "tx_bytes": sends * size,
                "rx_bytes": 0,
                "num_cq_errors": failed,
                "cq_poll_count": 9_000_000,
                "num_channels": 1,
                "active_channels": 1,
                "num_qp_untracked": untracked,
                "wqe_size_stats": [{"max_wqe_size": 2 * size - 1, "num_wqe": sends}],
                "channels": [{"id": 0, "num_wqe_sent": sends, "queue_pairs": [pair, receiving, ready]}],
                "hw_counters": {
                    **MLX5,
                    "pfc_rx_pause_frames": 0,
                    "pfc_rx_frames": idle,
                    "pfc_tx_frames": idle,
                    "pfc_rx_pause_us": idle,
                    "pfc_tx_pause_us": idle,
                    "delta_tx_bytes": sends * size,
                    "delta_rx_bytes": -1,
                    **(counters or {}),
                },
            }
        ],
    }


def text_of(**given: Any) -> str:
    """As it stands in the file."""
    return json.dumps(telemetry(**given), indent=2) + "\n"

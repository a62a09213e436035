"""What RCCL's network telemetry writes when a process ends (``RCCL_TELEMETRY_ENABLE=1``): counters of each HCA that the
process used, and how long its transfers took until they completed. A JSON file a process,
``rccl_telemetry_<host>_<pid>.json``::

    {"version": "1.0", "host_name": "node07", "process_name": "python3", "process_id": "4100",
     "start_time": "2026-09-21 14:13:20", "end_time": "2026-09-21 15:02:11", "transport": "IB-CAST",
     "devices": [{"device_id": 0, "roce_device": "mlx5_0", "eth_device": "ens1np0", "hw_type": "mlx5",
       "tx_bytes": 73014444032, "rx_bytes": 0, "num_cq_errors": 0, "num_qp_untracked": 0,
       "channels": [{"id": 0, "num_wqe_sent": 69632, "queue_pairs": [{"id": 0, "data_qp": true, "num_wqe_sent": 69632,
         "wqe_completion_histogram": [{"latency_ns": 30000, "num_wqe": 66100}]}]}],
       "hw_counters": {"cnp_sent": 12, "oos_drop_count": -1, "pfc_rx_frames": [0, 0, 0, 9, 0, 0, 0, 0]}}]}

Counters of the hardware are what was added while the process used the HCA, of everybody who used it; -1 is one that was
not read. Times of day have no zone and are not used. Latencies of one in ``latency_sample_interval`` transfers are
measured: shares are those of all. What was sampled in between (``hw_samples``) is not read.

Source: ``net_telemetry.cc`` (``rcclTelemetryWriteJson``) and its README, ROCm/rocm-systems.
"""

from __future__ import annotations

from slowlink.parsers.rdma.rccl_telemetry.telemetry import RcclTelemetry

DOCUMENT = RcclTelemetry

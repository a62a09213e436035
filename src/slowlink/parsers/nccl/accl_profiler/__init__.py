"""What ROCm's accl-profiler writes (a profiler plug-in of RCCL 2.30 and newer): a JSON object in a line for each
collective that ended, in a file for each rank and communicator, whose name alone tells the communicator and the node.

``accl_profiler_rank2_node07_pid4100_0x7a3c1f.jsonl``::

    {"header":{"rank":2,"n_ranks":8},"coll_perf":{"coll":"AllReduce","coll_sn":17,"coll_msg_size_bytes":4194304,"coll_algo":"Ring","coll_proto":"Simple","coll_n_channels":1,"coll_n_channels_reported":1,"coll_exec_time_us":151.20,"coll_algobw_gbs":27.740000,"coll_busbw_gbs":48.540000,"coll_timing_source":"gpu_globaltimer","decomposition":{"enqueue_to_kernel_us":6.00,"gpu_kernel_avg_us":151.20,"gpu_kernel_min_us":151.20,"gpu_kernel_max_us":151.20,"proxy_gpu_wait_us":11.00,"proxy_network_us":64.00,"proxy_peer_wait_us":3.00,"proxy_flush_us":7.00,"proxy_gpu_recv_wait_us":9.00,"n_proxy_ops":2,"n_send_ops":1,"n_recv_ops":1},"event_trace_ts":{"kernel_events":[{"channel_id":0,"kernel_start_ts":81240000,"kernel_stop_ts":81255120,"duration_us":151}]}}}
    {"summary":{"dropped_collectives":0,"leaked_collectives":0,"dropped_proxy_ops":0,"dropped_proxy_steps":0,"overflow_proxy_ops":0,"coll_pool_size":256,"proxy_op_pool_size":1024,"proxy_step_pool_size":4096,"max_proxy_ops_per_coll":256,"complete":true}}

Sends and receives are not written, and no clock but that of the GPU, which counts 100 MHz since it started.

Source: ``projects/rccl/plugins/profiler/accl/accl_profiler.cc`` of ROCm/rocm-systems. Older forms (a file without a
summary, ``launch_overhead_us`` for ``enqueue_to_kernel_us``, one without ``coll_n_channels_reported``) are read, too.
"""

from __future__ import annotations

from slowlink.parsers.nccl.accl_profiler.document import AcclDocument
from slowlink.parsers.nccl.accl_profiler.lines import AcclLines

DOCUMENT = AcclDocument
TAKER = AcclLines

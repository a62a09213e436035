"""Traces of PyTorch's profiler (Kineto): a JSON file a rank, of which the kernels of collectives are read.
Such a file holds, in its own layout:

    {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, ...}, ...
      "baseTimeNanoseconds": 1790000000000000000, "traceEvents": [
      {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", "pid": 3, "tid": 17,
       "ts": 5012.250, "dur": 310.004, "args": {"Collective name": "allreduce", "In msg nelems": 1048576,
       "dtype": "BFloat16", "Group size": 8, "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, ...]"}}

Source: ``libkineto/src/output_json.cpp`` of pytorch/kineto. A kernel begins when its rank arrives and ends when all
have what they need: of the ranks of a group the one that arrives last has the shortest. Traces are large (a million
events of which a thousand are collectives), so an event is looked at only where it names a collective.
"""

from __future__ import annotations

from slowlink.parsers.job.kineto_trace.trace import KinetoTrace

BINARY = KinetoTrace

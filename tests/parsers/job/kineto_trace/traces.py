"""Traces as Kineto writes them (``libkineto/src/output_json.cpp``), of one rank."""

from __future__ import annotations

from collections.abc import Sequence

EIGHT = "[0, 1, 2, 3, 4, 5, 6, 7]"
OTHER = """
  {
    "ph": "X",
    "cat": "cpu_op",
    "name": "aten::mm {with braces}",
    "pid": 4100,
    "tid": 4100,
    "ts": 12.250,
    "dur": 3.120,
    "args": {
      "External id": 7,"Record function id": 0, "Ev Idx": 11
    }
  },"""


def kernel(
    ts: float,
    dur: float,
    *,
    ranks: str = EIGHT,
    size: int = 8,
    group: str = "0",
    cat: str = "kernel",
    seq: int | None = None,
) -> str:
    numbered = f',"Seq": {seq}' if seq is not None else ""
    return f"""
  {{
    "ph": "X",
    "cat": "{cat}",
    "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "pid": 3,
    "tid": 17,
    "ts": {ts:.3f},
    "dur": {dur:.3f},
    "args": {{
      "External id": 9,"queued": 0, "device": 3, "context": 1, "stream": 17,"Collective name": "allreduce","In msg nelems": 1024,"Out msg nelems": 1024,"Group size": {size},"dtype": "BFloat16","Process Group Name": "{group}","Process Group Description": "default_pg","Process Group Ranks": "{ranks}"{numbered}
    }}
  }},"""


def trace(events: Sequence[str], *, rank: int | None = 3, at_the_end: bool = False) -> str:
    """``at_the_end``: where a daemon asked for the trace, the rank stands behind the events."""
    told = (
        f'"distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 8, "pg_count": 1, "pg_config": '
        f'[{{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 8, "ranks": "{EIGHT}"}}], '
        f'"nccl_version": "2.27.5"}},'
    )
    told = told if rank is not None else ""
    return (
        ' {\n    "schemaVersion": 1,\n    "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],\n    '
        f'{"" if at_the_end else told}\n    "displayTimeUnit": "ms",\n    "baseTimeNanoseconds": 1790000000000000000,\n'
        f'    "traceEvents": [\n    {"".join(events)}\n  {{\n    "ph": "i",\n    \n    "s": "g",\n    '
        '"name": "Record Window End",\n    "pid": "",\n    "tid": "",\n    "ts": 9.000\n    \n  }\n  ],'
        f'{told if at_the_end else ""}"traceName": "trace.json" }}'
    )

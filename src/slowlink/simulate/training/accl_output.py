"""Columns of timed calls as ROCm's accl-profiler writes them: a file for each rank and communicator, collectives alone.

The layout is that of ``acclWriteRecord`` (``accl_profiler.cc`` of ROCm/rocm-systems), without blanks. Of the parts of
a call only the kernel is simulated: no operation of a proxy is told of.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from slowlink.collectives import busbw_factor
from slowlink.model.timed_calls import ACCL, ENDED, KIND, NUMBER, SENDS, TIME, CallKind, TimedCalls

_NAMES = {"all_reduce": "AllReduce", "all_gather": "AllGather", "reduce_scatter": "ReduceScatter"}
_TICKS_PER_US = 100
_BOOTED = 1_789_000_000
"""When the clocks of all GPUs began, more or less."""
_SUMMARY = (
    '{"summary":{"dropped_collectives":0,"leaked_collectives":0,"dropped_proxy_ops":0,"dropped_proxy_steps":0,'
    '"overflow_proxy_ops":0,"coll_pool_size":256,"proxy_op_pool_size":1024,"proxy_step_pool_size":4096,'
    '"max_proxy_ops_per_coll":256,"complete":true}}\n'
)


def as_accl(columns: Iterable[TimedCalls]) -> Iterator[TimedCalls]:
    """What accl-profiler tells of them: no sends, no names of communicators, a clock for each GPU."""
    for calls in columns:
        if SENDS.isdisjoint(kind.collective for kind in calls.kinds):
            yield replace(calls, tool=ACCL, comm_name="", nnodes=None, own_clock=True)


def accl_files_of(columns: Iterable[TimedCalls]) -> Iterator[tuple[str, str]]:
    """(file, text) of each rank and communicator that calls collectives."""
    for calls in columns:
        text = "".join(f"{line}\n" for line in _lines(calls))
        if text:
            yield f"accl_profiler_rank{calls.rank}_{calls.host}_pid{calls.pid}_{calls.comm}.jsonl", text + _SUMMARY


def _lines(calls: TimedCalls) -> Iterator[str]:
    """In the order in which they ended. Each GPU's clock began at another time."""
    began = _BOOTED + 17.25 * (calls.pid or 0)
    columns = (array(code, column) for column, code in _columns(calls))
    for index, number, time_us, ended in zip(*columns, strict=True):
        if calls.kinds[index].collective not in SENDS:
            yield _line(calls, calls.kinds[index], number, time_us, round((ended - began) * 1e6))


def _columns(calls: TimedCalls) -> tuple[tuple[bytes, str], ...]:
    return (calls.kind, KIND), (calls.number, NUMBER), (calls.time_us, TIME), (calls.ended, ENDED)


def _line(calls: TimedCalls, kind: CallKind, number: int, time_us: float, stop_us: int) -> str:
    stop = stop_us * _TICKS_PER_US
    start = stop - round(time_us * _TICKS_PER_US)
    algbw = kind.size_bytes / (time_us * 1e3)
    busbw = algbw * (busbw_factor(kind.collective, calls.nranks) or 1.0)
    return (
        f'{{"header":{{"rank":{calls.rank},"n_ranks":{calls.nranks}}},"coll_perf":{{'
        f'"coll":"{_NAMES[kind.collective]}","coll_sn":{number},"coll_msg_size_bytes":{kind.size_bytes},'
        '"coll_algo":"Ring","coll_proto":"Simple","coll_n_channels":1,"coll_n_channels_reported":1,'
        f'"coll_exec_time_us":{time_us:.2f},"coll_algobw_gbs":{algbw:.6f},"coll_busbw_gbs":{busbw:.6f},'
        '"coll_timing_source":"gpu_globaltimer","decomposition":{"enqueue_to_kernel_us":0.00,'
        f'"gpu_kernel_avg_us":{time_us:.2f},"gpu_kernel_min_us":{time_us:.2f},"gpu_kernel_max_us":{time_us:.2f},'
        '"proxy_gpu_wait_us":0.00,"proxy_network_us":0.00,"proxy_peer_wait_us":0.00,"proxy_flush_us":0.00,'
        '"proxy_gpu_recv_wait_us":0.00,"n_proxy_ops":0,"n_send_ops":0,"n_recv_ops":0},'
        '"event_trace_ts":{"kernel_events":[{"channel_id":0,'
        f'"kernel_start_ts":{start},"kernel_stop_ts":{stop},"duration_us":{int(time_us)}}}]}}}}}}'
    )

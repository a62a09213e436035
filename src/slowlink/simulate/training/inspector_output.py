"""Columns of timed calls as NCCL's Inspector writes them: a JSON object in a line for each call, a file a process.

The layout is that of ``plugins/profiler/inspector/inspector_json.cc`` (NCCL 2.30), without blanks.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator

from slowlink.collectives import busbw_factor
from slowlink.model.timed_calls import ENDED, KIND, NUMBER, TIME, CallKind, TimedCalls

_NAMES = {
    "all_reduce": "AllReduce",
    "all_gather": "AllGather",
    "reduce_scatter": "ReduceScatter",
    "alltoall": "All2All",
    "broadcast": "Broadcast",
    "reduce": "Reduce",
    "send": "Send",
    "recv": "Recv",
}
_OF_ONE_RANK = frozenset({"all_gather", "reduce_scatter"})
"""Their size is what one rank gives or gets."""


def files_of(columns: Iterable[TimedCalls]) -> Iterator[tuple[str, str]]:
    """(file, text) of each process, in order of hosts and processes."""
    each: dict[tuple[str, int], list[TimedCalls]] = defaultdict(list)
    for calls in columns:
        each[calls.host or "", calls.pid or 0].append(calls)
    for (host, pid), mine in sorted(each.items()):
        lines = sorted((line for calls in mine for line in _lines(calls)), key=lambda line: line[0])
        yield f"{host}-pid{pid}.log", "".join(f"{text}\n" for _, text in lines)


def _lines(calls: TimedCalls) -> Iterator[tuple[float, str]]:
    """(when it was written, the line) of each call."""
    columns = (array(code, column) for column, code in _columns(calls))
    header = (
        f'{{"header":{{"id":"{calls.comm}","comm_name":"{calls.comm_name or "unknown"}","rank":{calls.rank},'
        f'"n_ranks":{calls.nranks},"nnodes":{calls.nnodes or 1}}},"metadata":{{'
        '"inspector_output_format_version":"v4.0","git_rev":"simulated","rec_mechanism":"nccl_profiler_interface","dump_timestamp_us":'
    )
    for index, number, time_us, ended in zip(*columns, strict=True):
        place = f'{round(ended * 1e6)},"hostname":"{calls.host}","pid":{calls.pid}}},'
        yield ended, f"{header}{place}{_performed(calls.kinds[index], number, time_us, calls.nranks)}}}"


def _columns(calls: TimedCalls) -> tuple[tuple[bytes, str], ...]:
    return (calls.kind, KIND), (calls.number, NUMBER), (calls.time_us, TIME), (calls.ended, ENDED)


def _performed(kind: CallKind, number: int, time_us: float, nranks: int) -> str:
    name, size = _NAMES[kind.collective], kind.size_bytes
    moved = size * (nranks if kind.collective in _OF_ONE_RANK else 1)
    algbw = moved / (time_us * 1e3)
    busbw = algbw * (busbw_factor(kind.collective, nranks) or 1.0)
    if kind.peer is not None:
        return (
            f'"p2p_perf":{{"p2p":"{name}","p2p_sn":{number},"p2p_peer":{kind.peer},"p2p_msg_size_bytes":{size},'
            f'"p2p_exec_time_us":{time_us:.0f},"p2p_timing_source":"kernel_gpu","p2p_algobw_gbs":{algbw:.6f},'
            f'"p2p_busbw_gbs":{algbw:.6f}}}'
        )
    return (
        f'"coll_perf":{{"coll":"{name}","coll_sn":{number},"coll_msg_size_bytes":{size},"coll_exec_time_us":{time_us:.0f},'
        f'"coll_timing_source":"kernel_gpu","coll_algobw_gbs":{algbw:.6f},"coll_busbw_gbs":{busbw:.6f}}}'
    )

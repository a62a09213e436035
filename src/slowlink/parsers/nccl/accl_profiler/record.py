"""One line of accl-profiler, by its types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from slowlink.model.timed_calls import ACCL, CallKind
from slowlink.parsers.forms.columns.timed_calls import CallColumns, Owner, collective_of
from slowlink.parsers.nccl.accl_profiler.file_name import WrittenBy

_TICKS_PER_US = 100.0
"""``wall_clock64()`` of an AMD GPU counts 100 MHz; the plug-in reckons with the same."""
_LARGEST = 1 << 63


class Header(Struct, gc=False):
    """Which rank it is, in a communicator that is not told here."""

    rank: int
    n_ranks: int


class KernelEvent(Struct, gc=False):
    """One channel's part of the kernel, in ticks of the GPU's clock; 0 where that was not read."""

    kernel_start_ts: int = 0
    kernel_stop_ts: int = 0


class Trace(Struct, gc=False):
    """All of them."""

    kernel_events: list[KernelEvent] = field(default_factory=list)


class Decomposition(Struct, gc=False):
    """What the time consists of, microseconds: means over channels, and over operations of the proxy."""

    enqueue_to_kernel_us: float | None = None
    launch_overhead_us: float | None = None
    """What older ones call it."""
    gpu_kernel_avg_us: float | None = None
    proxy_gpu_wait_us: float | None = None
    proxy_network_us: float | None = None
    proxy_peer_wait_us: float | None = None
    proxy_flush_us: float | None = None
    proxy_gpu_recv_wait_us: float | None = None
    n_proxy_ops: int = 0


class Coll(Struct, gc=False):
    """A collective."""

    coll: str
    coll_sn: int
    coll_msg_size_bytes: int
    coll_exec_time_us: float
    decomposition: Decomposition = field(default_factory=Decomposition)
    event_trace_ts: Trace = field(default_factory=Trace)
    coll_n_channels_reported: int | UnsetType = UNSET


class Called(Struct, gc=False):
    """A whole line."""

    header: Header
    coll_perf: Coll

    @property
    def has_summaries(self) -> bool:
        """Does the version that wrote it end each file with a summary? It came with this field."""
        return self.coll_perf.coll_n_channels_reported is not UNSET


Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
"""What a program can have counted."""


class Summary(Struct, gc=False):
    """What was left out; older versions count less of it."""

    dropped_collectives: Count
    leaked_collectives: Count = 0
    dropped_proxy_ops: Count = 0
    dropped_proxy_steps: Count = 0
    overflow_proxy_ops: Count = 0
    complete: bool = True


class Summarized(Struct, gc=False):
    """The last line."""

    summary: Summary


def add_call(columns: CallColumns, called: Called, by: WrittenBy, line: int) -> None:
    """Keep what ``called`` tells. Passed over: what cannot be, a communicator of one rank, and a call of which no
    kernel was seen (its time is then what the host took to enqueue it)."""
    header, one = called.header, called.coll_perf
    if not by.is_of(header.rank):
        by = WrittenBy()
    owner = Owner(ACCL, by.comm, "", header.rank, header.n_ranks, None, by.host, by.pid, own_clock=True)
    events = one.event_trace_ts.kernel_events
    if not events:
        return
    calls = columns.of(owner, line, f"rank {header.rank} of {header.n_ranks} in communicator {by.comm}")
    if calls is None:
        return
    clocked = [each for each in events if 0 < each.kernel_start_ts < each.kernel_stop_ts < _LARGEST]
    kind = _kind_of(one.coll, one.coll_msg_size_bytes)
    parts = _parts_of(one.decomposition)
    if clocked:
        first, last = min(each.kernel_start_ts for each in clocked), max(each.kernel_stop_ts for each in clocked)
        took, ended = (last - first) / _TICKS_PER_US, last / _TICKS_PER_US / 1e6
        calls.add(kind, one.coll_sn, took, ended, "kernel_gpu", parts)
    else:
        calls.add(kind, one.coll_sn, one.coll_exec_time_us, 0.0, "kernel_cpu", parts)


def _parts_of(told: Decomposition) -> Mapping[str, float]:
    """Without what is not told: of a collective that needs no network the proxy has nothing to tell, and a wait of 0 is
    written, too, where the kernel was not seen to begin after the call."""
    enqueue = told.enqueue_to_kernel_us if told.enqueue_to_kernel_us is not None else told.launch_overhead_us
    each = {"enqueue": enqueue or None, "kernel": told.gpu_kernel_avg_us}
    if told.n_proxy_ops > 0:
        each |= {
            "gpu_wait": told.proxy_gpu_wait_us,
            "peer_wait": told.proxy_peer_wait_us,
            "network": told.proxy_network_us,
            "flush": told.proxy_flush_us,
            "gpu_recv_wait": told.proxy_gpu_recv_wait_us,
        }
    return {name: us for name, us in each.items() if us is not None}


@lru_cache(maxsize=1 << 12)
def _kind_of(name: str, size_bytes: int) -> CallKind:
    """One object for all calls alike."""
    return CallKind(collective_of(name), size_bytes)


def lost_words(summary: Summary) -> str:
    """``3 collectives dropped, 1 not finished``; "" where it says that nothing is missing."""
    counts = (
        (summary.dropped_collectives, "collectives dropped"),
        (summary.leaked_collectives, "not seen to end"),
        (summary.dropped_proxy_ops, "operations of the proxy dropped"),
        (summary.dropped_proxy_steps, "steps of the proxy dropped"),
        (summary.overflow_proxy_ops, "operations of the proxy beyond its limit"),
    )
    told = ", ".join(f"{count:,} {words}" for count, words in counts if count > 0)
    return told or ("" if summary.complete else "it says that it is not complete")

"""One line of NCCL's Inspector, by its types."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct, field

from slowlink.model.timed_calls import INSPECTOR, CallKind
from slowlink.parsers.forms.columns.timed_calls import CallColumns, Owner, collective_of

_PEERED = frozenset({"send", "recv"})


class Header(Struct, gc=False):
    """Whose call it is."""

    id: str
    rank: int
    n_ranks: int
    nnodes: int | None = None
    comm_name: str = ""


class Metadata(Struct, gc=False):
    """Who wrote the line down, and when: at the next dump after the call."""

    dump_timestamp_us: int = 0
    hostname: str = ""
    pid: int | None = None


class KernelStop(Struct, gc=False):
    """One channel of one call, where the Inspector is verbose."""

    kernel_stop_ts: int = 0


class Trace(Struct, gc=False):
    """When the parts of one call began and ended, epoch microseconds."""

    kernel_events: list[KernelStop] = field(default_factory=list)


class Coll(Struct, gc=False):
    """A collective."""

    coll: str
    coll_sn: int
    coll_msg_size_bytes: int
    coll_exec_time_us: float
    coll_timing_source: str = ""
    event_trace_ts: Trace | None = None


class P2p(Struct, gc=False):
    """A send or a receive."""

    p2p: str
    p2p_sn: int
    p2p_peer: int
    p2p_msg_size_bytes: int
    p2p_exec_time_us: float
    p2p_timing_source: str = ""
    event_trace_ts: Trace | None = None


class Called(Struct, gc=False):
    """A whole line."""

    header: Header
    metadata: Metadata = field(default_factory=Metadata)
    coll_perf: Coll | None = None
    p2p_perf: P2p | None = None


def add_call(columns: CallColumns, called: Called, line: int) -> None:
    """Keep what ``called`` tells. What cannot be, and a communicator of one rank, is passed over."""
    header, metadata = called.header, called.metadata
    name = header.comm_name if header.comm_name != "unknown" else ""
    owner = Owner(
        INSPECTOR,
        header.id.lower(),
        name,
        header.rank,
        header.n_ranks,
        header.nnodes if header.nnodes else None,
        metadata.hostname or None,
        metadata.pid,
    )
    calls = columns.of(owner, line, f"rank {header.rank} of {header.n_ranks} in communicator {header.id}")
    if calls is None:
        return
    one, two = called.coll_perf, called.p2p_perf
    if one is not None:
        kind = kind_of(one.coll, one.coll_msg_size_bytes, None)
        ended = _ended(one.event_trace_ts, metadata)
        calls.add(kind, one.coll_sn, one.coll_exec_time_us, ended, one.coll_timing_source)
    elif two is not None:
        kind = kind_of(two.p2p, two.p2p_msg_size_bytes, two.p2p_peer)
        ended = _ended(two.event_trace_ts, metadata)
        calls.add(kind, two.p2p_sn, two.p2p_exec_time_us, ended, two.p2p_timing_source)


@lru_cache(maxsize=1 << 12)
def kind_of(name: str, size_bytes: int, peer: int | None) -> CallKind:
    """One object for all calls alike."""
    collective = collective_of(name)
    return CallKind(collective, size_bytes, peer if collective in _PEERED else None)


def _ended(trace: Trace | None, metadata: Metadata) -> float:
    stops = [event.kernel_stop_ts for event in trace.kernel_events] if trace is not None else []
    return (max(stops, default=0) or metadata.dump_timestamp_us) / 1e6

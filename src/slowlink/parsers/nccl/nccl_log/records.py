"""Reads the values out of what a fold has kept, and makes one ``NcclLog`` of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.nccl import (
    AlgorithmChoice,
    Bootstrap,
    ChannelCounts,
    CollectiveCall,
    ComponentVersion,
    EnvSetting,
    GdrDecision,
    GraphSearch,
    LibraryVersion,
    LogProcess,
    LogWarning,
    NcclLog,
    NetDevice,
    NetworkChoice,
    NvlsSupport,
    PluginEvent,
    ProxyCore,
    RingOrder,
    TopologyLink,
    TopologySummary,
)
from slowlink.model.source import Ref
from slowlink.parsers.nccl.nccl_log import comms, registry, topology
from slowlink.parsers.nccl.nccl_log.calls import read_call
from slowlink.parsers.nccl.nccl_log.kept_lines import Seen, Thread
from slowlink.parsers.nccl.nccl_log.message import At, CommEvent, Marker, TreeLine, Value
from slowlink.parsers.nccl.nccl_log.rows import Rows
from slowlink.parsers.nccl.nccl_log.torn_names import mend_processes

_FIELDS: dict[type, str] = {
    LibraryVersion: "versions",
    ComponentVersion: "components",
    EnvSetting: "env",
    NetworkChoice: "networks",
    NetDevice: "net_devices",
    Bootstrap: "bootstraps",
    PluginEvent: "plugins",
    GdrDecision: "gdr",
    ChannelCounts: "channel_counts",
    NvlsSupport: "nvls",
    RingOrder: "rings",
    GraphSearch: "graphs",
    TopologyLink: "links",
    TopologySummary: "topologies",
    AlgorithmChoice: "algorithms",
    ProxyCore: "proxy_cores",
    LogWarning: "warnings",
}
_COUNTS: dict[type, str] = {GdrDecision: "count", LogWarning: "count"}
_TEXT_LIMIT = 400


@cache
def _telling(kind: type[Struct]) -> tuple[str, ...]:
    """Fields in which two records that say the same are alike."""
    left_out = {"ref", "groups", _COUNTS.get(kind, "")}
    return tuple(name for name in kind.__struct_fields__ if name not in left_out)


class _Distinct:
    """Records that say the same are kept once: with the first line, and with the sum of their counts."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Any] = {}

    def add(self, record: Any) -> None:
        kind: type[Struct] = type(record)
        key = (kind, *[getattr(record, name) for name in _telling(kind)])
        first = self._kept.get(key)
        if first is None:
            self._kept[key] = record
            return
        earlier = min(first, record, key=lambda each: each.ref.line)
        count = _COUNTS.get(kind)
        if count:
            total = getattr(first, count) + getattr(record, count)
            self._kept[key] = replace(earlier, **{count: total})
        else:
            self._kept[key] = earlier

    def by_field(self) -> dict[str, tuple[Any, ...]]:
        found: dict[str, list[Any]] = defaultdict(list)
        for record in self._kept.values():
            found[_FIELDS[type(record)]].append(record)
        return {name: tuple(sorted(records, key=lambda each: each.ref.line)) for name, records in found.items()}


def _read(seen: Seen, thread: Thread, process: LogProcess, key: str, source: str) -> Iterator[Value]:
    level, _, body = seen.message.partition(" ")
    ref = Ref(source, seen.line, seen.text[:_TEXT_LIMIT])
    found = registry.found_before(seen.kind, body) if seen.kind >= 0 else registry.find(level, body)
    if found is None or found[0].read is None:
        if level == "WARN":
            known = registry.meaning_of(level, body)
            name, secondary = (known[0].kind, known[0].secondary) if known is not None else ("unknown", False)
            groups = known[1] if known is not None else {}
            yield LogWarning(name, level, body, secondary, groups, thread.location, process, ref, seen.count)
        return
    message, match = found
    read = message.read
    if read is not None:
        yield from read(match, At(process, ref, level, thread.location, body, seen.count, key))


def _calls(threads: Mapping[Any, Thread], who: Mapping[LogProcess, LogProcess], source: str) -> tuple[Any, ...]:
    last: dict[tuple[LogProcess, str], CollectiveCall] = {}
    for thread in threads.values():
        process = who.get(thread.process, thread.process)
        for seen in thread.calls.values():
            ref = Ref(source, seen.line, seen.text[:_TEXT_LIMIT])
            call = read_call(seen.message.partition(" ")[2], seen.count, process, ref)
            if call is None:
                continue
            key = (process, call.comm)
            before = last.get(key)
            if before is not None:
                later = max(before, call, key=lambda each: each.ref.line)
                call = replace(later, calls=before.calls + call.calls)
            last[key] = call
    return tuple(sorted(last.values(), key=lambda each: each.ref.line))


def log_of(
    threads: Mapping[str, Thread],
    edges: Rows,
    source: str,
    counts: tuple[int, int],
    subsystems: frozenset[str],
    *,
    last: bool,
) -> NcclLog:
    """The records of all threads of ``source``, each kind in the order of its first lines. ``counts``: of all lines,
    and of unknown ones. ``last``: what has become a record is not kept."""
    logged: dict[LogProcess, int] = {}
    owners = edges.of_owners()
    channels = {owner.name: owner.lines for owner in owners}
    for name, thread in threads.items():
        logged[thread.process] = logged.get(thread.process, 0) + thread.kept_lines + channels.get(name, 0)
    who = mend_processes(logged)
    distinct = _Distinct()
    events: list[CommEvent] = []
    tree: list[TreeLine] = []
    markers: dict[tuple[str, LogProcess], Ref] = {}
    for name, thread in threads.items():
        process = who.get(thread.process, thread.process)
        for seen in (*thread.once.values(), *thread.each):
            for value in _read(seen, thread, process, name, source):
                if isinstance(value, CommEvent):
                    events.append(value)
                elif isinstance(value, TreeLine):
                    tree.append(value)
                elif isinstance(value, Marker):
                    markers.setdefault((value.field, value.process), value.ref)
                else:
                    distinct.add(value)
        if last:
            thread.once, thread.each = {}, []
    tree.sort(key=lambda each: each.ref.line)
    for link in topology.join(tree):
        distinct.add(link)
    events.sort(key=lambda each: each.ref.line)
    return NcclLog(
        source,
        comms=comms.join(events),
        calls=_calls(threads, who, source),
        no_ib_device=_marked(markers, "no_ib_device"),
        dmabuf=_marked(markers, "dmabuf"),
        edges=edges.result([who.get(each, each) for each in (threads[owner.name].process for owner in owners)], source),
        processes=tuple(process for process in logged if process not in who and process.pid is not None),
        lines=counts[0],
        unknown=counts[1],
        subsystems=subsystems,
        **cast("dict[str, Any]", distinct.by_field()),
    )


def _marked(markers: Mapping[tuple[str, LogProcess], Ref], field: str) -> tuple[Ref, ...]:
    return tuple(sorted((ref for (name, _), ref in markers.items() if name == field), key=lambda ref: ref.line))

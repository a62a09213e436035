"""Plain values of NCCL's, RCCL's and MCCL's own log lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from slowlink.facts.summary.network import summarise_gdr, summarise_network, summarise_transports
from slowlink.facts.summary.tables import distinct
from slowlink.model.facts import (
    Communicators,
    Facts,
    Topology,
    Versions,
    Warnings,
)
from slowlink.model.nccl import CommInit, LogWarning, NcclLog
from slowlink.model.records import Records


def summarise_nccl(records: Records, facts: Facts) -> dict[str, object]:
    """Values of the log lines, over all sources and processes; names of what was not collected are absent."""
    values: dict[str, object] = {}
    if records.logs:
        values.update(_log(records.logs))
    values.update(_versions(facts.versions))
    values.update(_communicators(facts.communicators))
    values.update(summarise_transports(facts.transports))
    values.update(summarise_gdr(facts.gdr, facts.transports))
    values.update(summarise_network(facts.network))
    values.update(_topology(facts.topology))
    values.update(_warnings(facts.warnings))
    if facts.calls is not None:
        values["called_collectives"] = distinct(call.collective for call in facts.calls.all)
        values["last_op_counts"] = distinct(call.op_count for call in facts.calls.all)
        values["collective_calls"] = sum(call.calls for call in facts.calls.all)
    return values


def _log(logs: Sequence[NcclLog]) -> dict[str, object]:
    return {
        "log_lines": sum(log.lines for log in logs),
        "log_lines_unknown": sum(log.unknown for log in logs),
        "log_processes": len({(p.host, p.pid, p.rank) for log in logs for p in log.processes}),
        "log_hosts": distinct(process.host for log in logs for process in log.processes),
        "subsystems": sorted({name for log in logs for name in log.subsystems}),
        "rings": max((ring.nchannels for log in logs for ring in log.rings), default=0),
        "rings_seen": len({ring.channel for log in logs for ring in log.rings}),
    }


def _versions(versions: Versions | None) -> dict[str, object]:
    """Versions of libraries and runtimes (``nccl``, ``cuda``) by name in lower case; components by name."""
    if versions is None:
        return {}
    libraries = versions.libraries
    values: dict[str, object] = {
        name.lower(): texts for name, texts in _of_each((found.library, found.version) for found in libraries).items()
    }
    components = _of_each((part.component, part.version) for part in versions.components)
    values["library_by_host"] = _of_each(
        (found.process.host, found.version) for found in libraries if found.process.host is not None
    )
    for name, texts in _of_each(map(_without_number, distinct(found.runtime for found in libraries))).items():
        values[name] = [*_texts(values.get(name)), *texts]
    values["components"] = components
    values["component_versions"] = [f"{name} {text}" for name, texts in components.items() for text in texts]
    return values


def _of_each(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Name -> its distinct texts, in order of appearance."""
    found: dict[str, dict[str, None]] = {}
    for name, text in pairs:
        found.setdefault(name, {})[text] = None
    return {name: list(texts) for name, texts in found.items()}


def _without_number(runtime: str) -> tuple[str, str]:
    """``cuda`` and ``12.4`` of ``cuda12.4``."""
    name = runtime.rstrip("0123456789.")
    return name, runtime[len(name) :]


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _communicators(communicators: Communicators | None) -> dict[str, object]:
    if communicators is None:
        return {}
    inits = communicators.all
    values: dict[str, object] = {
        "comm_nranks": communicators.nranks,
        "comm_sizes": sorted({init.nranks for init in inits if init.nranks is not None}),
        "comm_ids": len({init.comm_id for init in inits if init.comm_id}),
        "init_started": sum(1 for init in inits if init.started),
        "init_complete": sum(1 for init in inits if init.completed),
        "init_incomplete": len(communicators.incomplete),
        "aborted": sum(1 for init in inits if init.aborted),
        "destroyed": sum(1 for init in inits if init.destroyed),
        "cuda_devices": distinct(init.cuda_dev for init in inits),
        "nvml_devices": distinct(init.nvml_dev for init in inits),
        "comm_bus_ids": distinct(init.bus_id for init in inits),
        "comm_ranks": sorted({init.rank for init in inits if init.rank is not None}),
        "comm_hosts": list(communicators.hosts),
    }
    values.update(_init_details(inits))
    return values


def _init_details(inits: Sequence[CommInit]) -> dict[str, object]:
    values: dict[str, object] = {}
    seconds = [init.init_seconds for init in inits if init.init_seconds is not None]
    if seconds:
        values["init_seconds"] = distinct(seconds)
        values["init_seconds_max"] = max(seconds)
    nodes = distinct(init.nnodes for init in inits)
    if nodes:
        values["comm_nnodes"] = nodes
    local = distinct(init.local_ranks for init in inits)
    if local:
        values["local_ranks"] = local
    multinode = distinct(init.mnnvl for init in inits)
    if multinode:
        values["mnnvl"] = multinode
    return values


def _topology(topology: Topology | None) -> dict[str, object]:
    if topology is None:
        return {}
    values: dict[str, object] = {}
    if topology.channel_counts:
        counts = topology.channel_counts
        values["channels"] = distinct(count.coll for count in counts)
        values["collnet_channels"] = distinct(count.collnet for count in counts)
        values["nvls_channels"] = distinct(count.nvls for count in counts)
        values["p2p_channels"] = distinct(count.p2p for count in counts)
        values["p2p_channels_per_peer"] = distinct(count.p2p_per_peer for count in counts)
    if topology.nvls:
        values["nvls_available"] = distinct(found.available for found in topology.nvls)
    if topology.summaries:
        values["max_bw_gbs"] = distinct(found.max_bw_gbs for found in topology.summaries)
        values["total_bw_gbs"] = distinct(found.total_bw_gbs for found in topology.summaries)
    if topology.links:
        ends = {end for link in topology.links for end in (link.parent, link.child) if end is not None}
        values["topology_gpus"] = sum(1 for end in {_node(end) for end in ends} if end.startswith("GPU/"))
        values["topology_nets"] = sum(1 for end in {_node(end) for end in ends} if end.startswith("NET/"))
        values["link_bw_gbs"] = {
            kind: sorted({link.bandwidth_gbs for link in topology.links if link.kind == kind}, reverse=True)
            for kind in distinct(link.kind for link in topology.links)
        }
    if topology.graphs:
        values["graph_patterns"] = distinct(graph.pattern for graph in topology.graphs)
        values["graph_bw_gbs"] = distinct(graph.bw_intra_gbs for graph in topology.graphs)
        values["graph_bw_inter_gbs"] = distinct(graph.bw_inter_gbs for graph in topology.graphs)
        values["graph_channels"] = distinct(graph.nchannels for graph in topology.graphs)
        values["graph_types"] = distinct(f"{graph.type_intra}/{graph.type_inter}" for graph in topology.graphs)
    if topology.algorithms:
        values["algorithms"] = distinct(choice.algorithm for choice in topology.algorithms)
        values["protocols"] = distinct(choice.protocol for choice in topology.algorithms)
    return values


def _node(text: str) -> str:
    """``GPU/B3000`` of ``GPU/B3000 (0)``: what follows names the process's own view."""
    return text.partition(" ")[0]


def _warnings(warnings: Warnings | None) -> dict[str, object]:
    """``warnings``: lines of each catalogued message; ``warning_details``: values of every named part."""
    if warnings is None:
        return {}
    counts: Counter[str] = Counter()
    for found in warnings.all:
        counts[found.message] += found.count
    return {
        "warnings": dict(counts),
        "warn_lines": sum(found.count for found in warnings.all if found.level == "WARN"),
        "warning_texts": distinct(found.text for found in warnings.all),
        "warning_locations": distinct(found.location for found in warnings.all),
        "warning_hosts": distinct(found.process.host for found in warnings.all),
        "warning_details": details(found.groups for found in _primary_first(warnings.all)),
    }


def _primary_first(warnings: Sequence[LogWarning]) -> list[LogWarning]:
    return sorted(warnings, key=lambda found: found.secondary)


def details(groups: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    """Named parts of many messages as name -> distinct values in order."""
    found: dict[str, dict[str, None]] = {}
    for group in groups:
        for name, value in group.items():
            texts = found.setdefault(name, {})
            if value:
                texts[value] = None
    return {name: list(texts) for name, texts in found.items()}

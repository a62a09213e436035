"""Which names of ``Report.facts`` a labelled key may mean. Synonyms only: every value comes from the report.

A path is ``name`` or ``name.part`` for a value inside a dict. The first path that confirms the label counts.
"""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

SYNONYMS: dict[str, tuple[str, ...]] = {
    # the job
    "nranks": ("nranks", "table_nranks", "event_details.nranks", "command_nranks"),
    "ranks": ("nranks",),
    "hosts": ("hosts", "nnodes", "comm_hosts", "log_hosts", "table_hosts"),
    "nodes": ("nnodes", "hosts"),
    "nnodes": ("nnodes", "command_options.nnodes", "observations.torchrun-nnodes", "hosts"),
    "nproc_per_node": (
        "command_options.nproc_per_node",
        "observations.torchrun-nproc-per-node",
        "command_ranks_per_node",
        "gpus_per_node",
    ),
    "host": ("hosts", "event_hosts", "warning_hosts", "log_hosts", "event_details.host"),
    "gpus": ("gpus", "devices_listed", "topology_gpus", "observations.gpus", "observations.gpu-count", "nranks"),
    "type": ("datatypes",),
    "datatype": ("datatypes",),
    "dtype": ("datatypes",),
    "redop": ("redops",),
    "root": ("roots",),
    # tables
    "rows": ("rows", "rows_total", "perftest_rows", "perftest_rows_total"),
    "tables": ("tables", "perftest_blocks"),
    "headers": ("preambles", "runs", "header_lines"),
    "torn": ("torn_lines",),
    "elided": ("elided_lines",),
    "count_in_exponent": ("exponent_lines",),
    "sections": ("captions",),
    "collective": ("collectives", "table_collectives", "called_collectives", "event_details.collective"),
    "peak_busbw": ("peak_busbw_gbs",),
    "max_busbw": ("highest_busbw_gbs", "peak_busbw_gbs"),
    "peak_algbw": ("peak_algbw_gbs",),
    "avg_busbw": ("average_busbw_gbs",),
    "min_busbw": ("min_busbw_gbs",),
    "last_busbw": ("last_busbw_gbs", "last_in_place_busbw_gbs"),
    "mean_of_rows": ("mean_of_rows_busbw_gbs", "mean_of_printed_busbw_gbs"),
    "median_busbw": ("median_busbw_gbs",),
    "busbw_gbps": ("observations.busbw-gbit",),
    "ratio": ("busbw_ratio",),
    "columns": ("columns", "column_count"),
    "check": ("data_check",),
    "oob": ("out_of_bounds", "data_check"),
    "wrong": ("wrong_elements", "wrong_total"),
    "footer": ("concluded",),
    "wrong_row": ("wrong_sizes_bytes",),
    "wrong_rows": ("wrong_sizes_bytes", "wrong_lines"),
    "first_bytes": ("first_size_bytes", "perftest_first_size_bytes"),
    "last_bytes": ("last_size_bytes", "perftest_last_size_bytes"),
    "min_bytes": ("min_size_bytes", "first_size_bytes", "parameters.minBytes"),
    "max_bytes": ("max_size_bytes", "last_size_bytes", "parameters.maxBytes"),
    "peak_at": ("peak_size_bytes",),
    "peak_size": ("peak_size_bytes",),
    "warmup": ("parameters.warmup iters", "command_options.w"),
    "np": ("command_nranks", "nranks"),
    "ngpus": ("parameters.nGpus", "command_options.g"),
    "nthreads": ("parameters.nThread", "command_options.t"),
    "iters": ("parameters.iters", "command_options.n"),
    "step": ("parameters.step",),
    "nccl_tests": ("tests_versions",),
    "processes": ("processes", "device_processes", "log_processes"),
    "failures": ("test_failures",),
    "errors": ("event_lines", "warn_lines"),
    "extend_bytes": ("warning_details.size",),
    "error_code": ("warning_details.code", "event_details.code"),
    "format": ("table_formats",),
    "error": (
        "test_errors",
        "warning_details.error",
        "warning_details.status",
        "event_details.error",
        "warning_texts",
        "event_texts",
    ),
    "at": ("test_errors", "event_details.at", "event_texts"),
    "message": ("event_texts", "warning_texts"),
    # NCCL's log
    "transport": ("transport", "transport_detail"),
    "channels": ("channels", "rings", "connected_channels"),
    "nvl_bw": ("link_bw_gbs.NVL", "max_bw_gbs"),
    "max_bw": ("max_bw_gbs",),
    "hca": ("hcas", "hca_families", "warning_details.hca", "gdr_disabled_hcas", "gdr_enabled_hcas"),
    "hcas": ("hcas", "hcas_per_process"),
    "nics": ("ofi_nics", "hcas", "hcas_per_process", "topology_nets"),
    "ifs": ("socket_interfaces",),
    "bootstrap_if": ("bootstrap_interfaces",),
    "plugin": ("component_versions", "plugins"),
    "libfabric": ("components.libfabric",),
    "provider": ("ofi_provider", "event_details.provider"),
    "cuda": ("cuda", "components.cuda", "observations.cuda-version"),
    "cuda_driver": ("components.cuda-driver",),
    "driver": ("observations.driver-version", "components.driver", "event_details.driver"),
    "cpu": ("observations.cpu-model",),
    "nv_peer_mem": ("observations.peer-memory-version", "observations.peer-memory-loaded"),
    "topo": ("observations.gpu-link", "graph_types"),
    "nvls": ("nvls_available",),
    "tuner": ("plugins_by_kind.TUNER",),
    "link_layer": ("hca_link_layers", "perftest_link_types"),
    "speed": ("hca_speed_gbit",),
    "rate": ("hca_speed_gbit",),
    "comms": ("comm_ids",),
    "communicators": ("comm_ids",),
    "algo": ("algorithms", "row_algorithms", "environment.NCCL_ALGO"),
    "proto": ("protocols", "row_protocols", "environment.NCCL_PROTO"),
    "pattern": ("graph_patterns",),
    "total_bw": ("total_bw_gbs",),
    "busid": ("comm_bus_ids", "bus_ids"),
    "distance": ("gdr_distances",),
    "level": ("gdr_levels",),
    "warns": ("warn_lines",),
    "virtual_devices": ("virtual_hcas",),
    "ndevs": ("virtual_hca_members",),
    "vnic": ("virtual_hcas",),
    "status_name": ("warning_details.status_name", "warning_details.status"),
    "side": ("warning_details.req_type", "warning_details.side"),
    "errno": ("warning_details.errno",),
    "call": ("warning_details.call", "warning_texts"),
    "peer": ("warning_details.peer",),
    "path": ("warning_details.path", "event_details.path"),
    "op": ("event_details.op", "called_collectives"),
    "seq": ("event_details.seq",),
    "init_total": ("init_seconds",),
    "bootstrap": ("bootstraps", "bootstrap_addresses", "bootstrap_interfaces"),
    "hcas_named": ("hcas",),
    "coll_channels": ("channels",),
    "cudaDev": ("cuda_devices",),
    "nvmlDev": ("nvml_devices",),
    "busId": ("comm_bus_ids",),
    "rank": ("comm_ranks",),
    # perftest
    "test": ("perftest_programs", "perftest_tests"),
    "device": ("perftest_devices", "event_details.device", "warning_details.device", "hcas"),
    "connection": ("perftest_parameters.Connection type",),
    "link": ("perftest_link_types",),
    "link_type": ("perftest_link_types",),
    "mtu": ("perftest_mtu_bytes",),
    "bytes": ("perftest_last_size_bytes", "perftest_first_size_bytes"),
    "iterations": ("perftest_iterations", "iterations_recorded", "observation_counts.training-iteration-ms"),
    "unit": ("perftest_units",),
    "sides": ("perftest_blocks",),
    "p99": ("perftest_t_p99_us",),
    "p999": ("perftest_t_p999_us",),
    "latency": ("perftest_t_avg_us", "perftest_t_typical_us"),
    "bw": ("perftest_bw_average_gbit", "graph_bw_gbs"),
    "bw_avg": ("perftest_bw_average_gbit", "perftest_bw_average_printed"),
    "bw_peak": ("perftest_bw_peak_gbit", "perftest_bw_peak_printed"),
    "bw_avg_max": ("perftest_bw_average_gbit_max", "perftest_bw_average_printed_max"),
    "bw_peak_max": ("perftest_bw_peak_gbit_max", "perftest_bw_peak_printed_max"),
    "maca_memory": ("perftest_gpu_memory", "perftest_memory"),
    "remote_device": ("perftest_parameters.remote_device", "perftest_devices"),
    # events
    "job": ("event_details.job", "event_details.job_id"),
    "segfault_task": ("crashed_tasks",),
    "tasks": ("event_details.tasks", "event_details.task"),
    "nvswitch_pci": ("event_details.pci",),
    "gpu_index": ("event_details.gpu_index", "event_details.gpu"),
    "exit_code": ("event_details.code", "event_details.exit_code"),
    "segfaults": ("events.kernel-segfault",),
    "process": ("event_details.process", "event_details.name"),
    "library": ("event_details.library",),
    "pci": ("event_details.pci",),
    "timeout_s": ("event_details.timeout", "event_details.timeout_s", "event_details.seconds"),
    "dlopen_failed": ("event_details.library", "warning_details.library"),
    "timed_out_ranks": ("event_ranks_by_kind.torch-watchdog-timeout",),
    "lagging_rank": ("event_details.ranks",),
    # surveys
    "tests": ("observations_by_subject.pair-survey-tests.total", "runs"),
    "pass": ("observations_by_subject.pair-survey-tests.PASS",),
    "fail": ("observations_by_subject.pair-survey-tests.FAIL",),
    "failed_pairs": ("observations.pair-survey-failed-pairs",),
    # applications
    "batches": ("observation_counts.training-batch-rate",),
    "network_timeouts": ("observations.slingshot-network-timeouts",),
}
"""Label key -> names in the report that mean the same."""

PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"(?:busbw_at|busbw)_(\d+\w*)"), ("busbw_gbs_by_size.{0}", "in_place_busbw_gbs_by_size.{0}")),
    (re.compile(r"(?:algbw_at|algbw)_(\d+\w*)"), ("algbw_gbs_by_size.{0}", "in_place_algbw_gbs_by_size.{0}")),
    (
        re.compile(r"(?:time_at|time|latency|lat)_(\d+\w*)"),
        ("time_us_by_size.{0}", "in_place_time_us_by_size.{0}"),
    ),
    (
        re.compile(r"bw_avg_(\d+\w*)"),
        ("perftest_bw_average_gbit_by_size.{0}", "perftest_bw_average_printed_by_size.{0}"),
    ),
    (
        re.compile(r"bw_peak_(\d+\w*)"),
        ("perftest_bw_peak_gbit_by_size.{0}", "perftest_bw_peak_printed_by_size.{0}"),
    ),
    (re.compile(r"(t_(?:min|max|typical|avg|stdev|p99|p999))_(\d+\w*)"), ("perftest_{0}_us_by_size.{1}",)),
    (re.compile(r"(t_(?:min|max|typical|avg|stdev|p99|p999))"), ("perftest_{0}_us",)),
    (re.compile(r"(median|min|max)_([a-z_]+)"), ("pair_{0}_busbw_gbs.{1}",)),
    (re.compile(r"exit_rank(\d+)"), ("event_details_by_rank.{0}.code",)),
    (re.compile(r"(signal|pid|host)_rank(\d+)"), ("event_details_by_rank.{1}.{0}",)),
    (re.compile(r"speed_batch(\d+)"), ("observations_by_subject.training-batch-rate.{0}",)),
    (re.compile(r"node_(\w+)_pairs"), ("failed_pairs_by_node.~{0}", "slow_pairs_by_node.~{0}")),
    (re.compile(r"nccl_(\w+)"), ("library_by_host.{0}",)),
    (
        re.compile(r"([A-Z][A-Z0-9_]+)"),
        ("environment.{0}", "environment.NCCL_{0}", "environment_advised.{0}", "command_environment.{0}"),
    ),
)
"""Families of label keys: size, statistic or variable is part of the key."""

NESTED = (
    "warning_details",
    "event_details",
    "observations",
    "components",
    "parameters",
    "perftest_parameters",
    "nvbandwidth_totals",
    "plugins_by_kind",
    "command_options",
    "warnings",
    "events",
    "observation_counts",
)
"""Where a key that is no name of its own is looked for, in this order."""

SUFFIXES = ("", "s", "_gbs", "_gbit", "_us", "_mpps", "_bytes", "_seconds")
"""The report names its units; labels mostly do not."""

PER_TABLE = frozenset(
    {
        "rows",
        "peak_busbw_gbs",
        "average_busbw_gbs",
        "min_busbw_gbs",
        "median_busbw_gbs",
        "mean_of_rows_busbw_gbs",
        "mean_of_printed_busbw_gbs",
        "last_busbw_gbs",
        "peak_algbw_gbs",
        "table_nranks",
        "table_nnodes",
        "out_of_bounds",
        "wrong_total",
        "size_zero_rows",
        "busbw_ratio",
        "perftest_rows",
    }
)
"""Lists with one entry a table: one labelled number stands for all of them."""

RUNNING_TEXT = frozenset(
    {
        "warning_texts",
        "event_texts",
        "test_errors",
        "perftest_errors",
        "commands",
        "captions",
        "plugin_details",
        "component_versions",
        "transport_detail",
        "perftest_tests",
        "observations.cpu-model",
    }
)
"""Facts in which the label's words must appear, not be everything."""

COUNTED = frozenset(
    {
        "hosts",
        "comm_hosts",
        "log_hosts",
        "table_hosts",
        "hcas",
        "virtual_hcas",
        "test_errors",
        "slow_pairs",
        "incomplete_pairs",
        "pair_nodes",
        "socket_interfaces",
        "bus_ids",
        "comm_bus_ids",
        "header_lines",
        "event_details.task",
    }
)
"""Lists of names of which a label may give the number."""

UNMEASURED = frozenset({"perftest_bw_peak_gbit"})
"""perftest prints 0.00 for these when it did not measure them."""

NOT_FACTS = frozenset({"header", "units", "title"})
"""Line numbers of decoration, which a reader of a report has no use for."""


_TOPICS = [
    import_module(found.name)
    for found in pkgutil.iter_modules([str(Path(__file__).parent)])
    if found.name.startswith("accuracy_keys_")
]
"""``accuracy_keys_<topic>.py`` beside this file: more ``SYNONYMS`` and ``PATTERNS``, of one kind of sample each."""


def paths(key: str) -> list[str]:
    """Names in the report that ``key`` may mean, most specific first, without repeats."""
    found = list(SYNONYMS.get(key, ()))
    for topic in _TOPICS:
        found += getattr(topic, "SYNONYMS", {}).get(key, ())
    families = [*PATTERNS, *(entry for topic in _TOPICS for entry in getattr(topic, "PATTERNS", ()))]
    for pattern, templates in families:
        match = pattern.fullmatch(key)
        if match:
            found += [template.format(*map(_size, match.groups())) for template in templates]
    for name in (key, f"perftest_{key}"):
        found += [name + suffix for suffix in SUFFIXES]
    for spelled in dict.fromkeys((key, key.replace("_", "-"))):
        found += [f"{parent}.{spelled}" for parent in NESTED]
    return list(dict.fromkeys(found))


_SIZE = re.compile(r"(\d+)([KMG]?)i?B?")
_FACTOR = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _size(text: str) -> str:
    """``4B`` -> ``4``, ``8M`` -> ``8388608``; anything else as it is."""
    match = _SIZE.fullmatch(text)
    return str(int(match.group(1)) * _FACTOR[match.group(2)]) if match else text

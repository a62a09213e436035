"""Names of the report that labels of topology, health checks and other vendors' tools mean."""

from __future__ import annotations

import re

SYNONYMS: dict[str, tuple[str, ...]] = {
    # topology
    "gpus": ("topo_gpus", "gpu_count", "dcgm_gpus"),
    "nics": ("topo_nics",),
    "tool": ("topo_commands",),
    "gpu_gpu": ("gpu_links",),
    "nvlinks_per_pair": ("nvlinks_per_pair",),
    # diagnostics and checks
    "dcgm": ("dcgm_version",),
    "driver": ("driver_version", "driver_versions"),
    "eud": ("eud_version",),
    "device_id": ("gpu_device_ids",),
    "tests": ("health_test_count", "health_counts_by_tool.dcgm"),
    "tests_failed": ("health_failed_count",),
    "failed": ("health_failed_count",),
    "warned": ("health_warned_count",),
    "failed_test": ("health_failed",),
    "warned_test": ("health_warned",),
    "category": ("health_categories",),
    "level": ("command_options.r", "command_options.run"),
    "result": ("health_results",),
    "lines": ("health_counts_by_tool.nhc",),
    "final_result": ("health_tests.final result",),
    "gpu_count": ("health_values.check_gpu_count", "gpu_count"),
    "ib_ports": ("health_parts.check_ib_bw_gdr",),
    "flapping": ("health_failed",),
    # DCGM
    "groups": ("dcgm_default_groups", "dcgm_groups"),
    "nvswitches": ("dcgm_nvswitches",),
    "gpu": ("nvlink_gpus", "gpu_names"),
    "links": ("nvlinks_counted",),
    "fields": ("exporter_metrics",),
    "values": ("exporter_values",),
    "first": ("exporter_first_metric",),
    # a crash inside MPI
    "collective": ("observations.mpi-call-in-backtrace",),
    # other vendors
    "mx_smi": ("mx_smi_version",),
    "maca": ("maca_version",),
    "util": ("gpu_utilisation_percent",),
    "processes": ("gpu_processes_listed", "gpu_processes"),
}

PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"(gpu\d+_gpu\d+)"), ("gpu_pair_links.{0}",)),
    (re.compile(r"(gpu\d+_nic\d+)"), ("gpu_nic_links.{0}",)),
    (re.compile(r"(nic\d+)"), ("topo_nic_names.{0}",)),
    (re.compile(r"peers_of_(gpu\d+)"), ("nvlink_peers.{0}",)),
    (re.compile(r"(check_\w+)"), ("health_values.{0}", "health_tests.{0}")),
    (re.compile(r"(\w+_perf)"), ("health_values.{0}",)),
    (re.compile(r"(\w+)_warnings"), ("health_warnings.{0}",)),
)

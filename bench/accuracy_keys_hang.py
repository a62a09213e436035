"""Names of the report that labels of hanging jobs mean: NCCL's RAS, flight recorders, watchdogs."""

from __future__ import annotations

import re

SYNONYMS: dict[str, tuple[str, ...]] = {
    # RAS
    "nccl": ("ras_nccl", "flight_nccl"),
    "communicators": ("ras_communicators",),
    "communicators_count": ("ras_communicators",),
    "comms": ("ras_communicators",),
    "groups": ("ras_sizes",),
    "hash": ("ras_hashes",),
    "size": ("ras_sizes",),
    "nodes": ("ras_nodes",),
    "hosts": ("ras_nodes",),
    "processes": ("ras_processes",),
    "gpus": ("ras_gpus",),
    "status": ("ras_status",),
    "ranks_count": ("ras_ranks_present",),
    "missing_ranks_count": ("ras_error_counts.missing-rank",),
    "missing_ranks": ("ras_missing_ranks", "ras_error_counts.missing-rank", "flight_missing_ranks"),
    "missing_rank": ("ras_missing_ranks", "flight_missing_ranks"),
    "missing_processes": ("ras_error_counts.missing-process", "ras_missing_processes"),
    "missing_pid": ("ras_missing_processes",),
    "missing_host": ("ras_missing_hosts",),
    "dead_processes": ("ras_error_counts.dead",),
    "dead": ("ras_error_counts.dead", "ras_considered_dead"),
    "unresponsive": ("ras_unresponsive",),
    "considered_dead": ("ras_considered_dead",),
    "timeouts": ("ras_timeouts",),
    "timeouts_count": ("ras_timeouts",),
    "mismatch_ahead": ("ras_ranks_ahead",),
    "mismatch_behind": ("ras_ranks_behind",),
    "op_ahead": ("ras_operation_ahead",),
    "op_behind": ("ras_operation_behind",),
    "behind_ranks": ("ras_behind",),
    "outlier_nodes": ("ras_outlier_nodes",),
    # flight recorders
    "ranks": ("flight_ranks", "ras_sizes"),
    "nranks": ("flight_ranks",),
    "dumps": ("flight_dumps",),
    "fr_version": ("flight_versions",),
    "suspect_ranks": ("flight_suspect_ranks",),
    "suspect_rank": ("flight_suspect_ranks",),
    # injected faults
    "fault_ranks": ("injected_ranks",),
    "fault_rank": ("injected_ranks",),
    "fault_type": ("injected_faults",),
    "fault_delay": ("injected_delay_s",),
    # watchdogs
    "joined_not": ("event_details.collective",),
    "watchdog_lines": ("watchdog_messages",),
    "total_run_time_s": ("observations.run-time-s",),
}

PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"entries_rank(\d+)"), ("flight_entries.{0}",)),
    (re.compile(r"rank(\d+)_oldest_unfinished_(\w+)"), ("flight_oldest_unfinished.{0}.{1}",)),
    (re.compile(r"pg(\w+)_last_(enqueued|started|completed)_rank(\d+)"), ("flight_last_{1}.{2}.{0}",)),
    (re.compile(r"rank(\d+)_last_(enqueued|started|completed)_pg(\w+)"), ("flight_last_{1}.{0}.{2}",)),
)

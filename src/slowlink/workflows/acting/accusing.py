"""How many nodes a cause may name and accuse each of them: a sound node must not be taken out of use, nor sent away."""

from __future__ import annotations

from slowlink.model.report import Diagnosis

_EACH = 1_000_000
_LOST = ("rank-lost", "rank-stuck")
"""Of the application, and yet where one node alone is named it may be the node's."""
_THE_JOBS_OWN = ("application", "config", "launch")
"""Layers of what a job asked for, and how it was started: the next job on the same nodes need not ask for it."""
_OF_THE_NODE = ("policy-not-met",)
"""Of these layers, and yet the node's."""
_SETTINGS = ("gdr-level-too-strict", "gdr-forced-far")
"""Of other layers, and yet mended by a setting of the job."""
_ENDS_OF_A_PATH = ("rdma-retry-exceeded", "fabric-path-blocked", "tcp-unreachable", "slow-path")
"""They name who complained, or both ends: it may be either, or what lies between."""
_PATHS_WERE_ASKED = frozenset({"pings-lost", "tcp-throughput", "tcp-unreachable", "rdma-retry-exceeded"})
"""Rules that know nothing of a node but that something did not reach it."""
_OF_A_RUN = ("socket-fallback", "gdr-disabled")
"""They name all nodes of a run that did not go as it should; a setting of the job does that, too."""


def most_accused(diagnosis: Diagnosis) -> int:
    """None for what is a job's own fault and for paths; where a run of several was slow, or wrong, or hung, it may be
    one of them or what lies between, so one is accused where it alone is named."""
    if diagnosis.cause in _LOST:
        return 1
    if diagnosis.layer in _THE_JOBS_OWN and diagnosis.cause not in _OF_THE_NODE:
        return 0
    if diagnosis.cause in (*_SETTINGS, *_ENDS_OF_A_PATH) or _is_of_paths(diagnosis):
        return 0
    return 1 if diagnosis.layer == "measure" or diagnosis.cause in _OF_A_RUN else _EACH


def _is_of_paths(diagnosis: Diagnosis) -> bool:
    return bool(diagnosis.rules) and _PATHS_WERE_ASKED.issuperset(diagnosis.rules)

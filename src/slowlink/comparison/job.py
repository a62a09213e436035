"""What changed in the job itself: NCCL's settings, versions, transports. From the plain facts of both reports."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.model.comparison import JobChange
from slowlink.model.report import Report

_TITLES = {
    "nccl": "NCCL",
    "rccl": "RCCL",
    "mccl": "MCCL",
    "cuda": "CUDA",
    "components": "components",
    "network": "network",
    "transport": "transport",
    "gdr": "GPUDirect RDMA",
    "hcas": "HCAs in use",
    "channels": "channels",
    "nvls_channels": "NVLS channels",
    "gpus_per_node": "GPUs of a node",
    "gpu": "GPU",
}
"""Facts of a job that bear on its bandwidth, and their names in words."""
_EFFECTS = frozenset({"network", "transport", "gdr", "hcas", "channels", "nvls_channels", "gpus_per_node", "gpu"})
"""What the library found or chose, against what somebody set or installed."""


def is_effect(change: JobChange) -> bool:
    """Is this the consequence of something else, not a thing that can be set back?"""
    return change.name in _EFFECTS


def job_changes(old: Report, new: Report) -> tuple[JobChange, ...]:
    """Facts that both reports know and that differ, then settings; a setting may also have come or gone."""
    changes = []
    for name, title in _TITLES.items():
        before, after = _text(old.facts.get(name)), _text(new.facts.get(name))
        if before and after and before != after:
            changes.append(JobChange(name, title, before, after))
    before_settings, after_settings = _settings(old), _settings(new)
    if before_settings is not None and after_settings is not None:
        for name in sorted({*before_settings, *after_settings}):
            was, now = before_settings.get(name, ""), after_settings.get(name, "")
            if was != now:
                changes.append(JobChange(name, name, was, now))
    return tuple(changes)


def job_facts(report: Report) -> dict[str, str]:
    """What somebody set or installed for the job, by name: versions, then variables in force."""
    found = {name: _text(report.facts.get(name)) for name in _TITLES if name not in _EFFECTS}
    return {name: text for name, text in {**found, **(_settings(report) or {})}.items() if text}


def _settings(report: Report) -> dict[str, str] | None:
    """Variables in force; None when the report knows of none, which is not the same as none being set."""
    found = report.facts.get("environment")
    if not isinstance(found, Mapping):
        return None
    return {str(name): _text(values) for name, values in found.items()}


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(each)}" for name, each in sorted(value.items(), key=str))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)

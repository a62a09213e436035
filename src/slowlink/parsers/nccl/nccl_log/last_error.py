"""NCCL's own words that a framework's exception repeats (``Last error:``): often all that is left of NCCL's log."""

from __future__ import annotations

from slowlink.model.job import JobEvent
from slowlink.model.nccl import LogProcess, LogWarning
from slowlink.parsers.nccl.nccl_log.registry import find, meaning_of

NCCL_FAILURES = ("nccl-tests-nccl-failure", "torch-nccl-error")
"""Events of a program whose call of NCCL failed."""


def last_warning(event: JobEvent) -> LogWarning | None:
    """The warning of NCCL that an exception carries, when it is in the catalogue and no echo."""
    if event.kind not in NCCL_FAILURES or event.secondary:
        return None
    text = event.groups.get("last_error", event.groups.get("detail", "")).strip()
    known = find("WARN", text) if text else None
    meant = meaning_of("WARN", text) if text and known is None else None
    process = LogProcess(event.host, None, event.rank)
    if meant is not None and meant[0].sort != "harmless" and not meant[0].secondary:
        return LogWarning(meant[0].kind, "WARN", text, False, meant[1], None, process, event.ref, event.count)
    if known is None or not known[0].id or known[0].secondary:
        return None
    groups = {name: value for name, value in known[1].groupdict().items() if value is not None}
    return LogWarning(known[0].id, "WARN", text, False, groups, None, process, event.ref, event.count)

"""What a scheduler wants and does not find: GPUs, HCAs, or nodes. Where a node shows why, the want is a symptom.

A pod that finds no GPU says nothing about the launcher while a node beside it has lost one. So a launcher's failure
that rests on such wants alone is explained by faults of what is wanted, and by nodes that are out of service. A device
plug-in that calls a GPU unhealthy is a witness of the same kind: the fault of the GPU is why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.report import Finding
from slowlink.patterns import regex

_LAUNCH, _MISSING = "launcher-failed", "gpu-missing"
_WANTS = {
    "gpu": regex(
        r"Insufficient (?:nvidia|amd|gpu\.intel|habana)\.(?:com|ai)/(?:gpu|mig|i915|xe|gaudi)"
        r"|Requested node configuration is not available"
    ),
    "hca": regex(r"(?i)Insufficient [\w.-]{0,80}(?:rdma|efa|sriov|hca|roce|infiniband|mlnx|hostdev)"),
    "node": regex(
        r"(?i)node\(s\) were unschedulable|node\(s\) were not ready|node\(s\) had (?:untolerated )?taints? \{?node\."
        r"|Insufficient (?:nvidia|amd)\.com/|ReqNodeNotAvail|Required node not available|required for job are DOWN"
        r"|Requested node configuration is not available"
    ),
}
"""The scheduler's own words (Kubernetes 1.24 to 1.31: ``noderesources/fit.go``, ``nodeunschedulable``,
``tainttoleration``; Slurm 20.11 to 25.11: ``slurm_errno.c``, ``job_state_reason.c``)."""
_FAULTS: Mapping[str, tuple[str, ...]] = {
    "gpu": (
        *("gpu-memory-errors", _MISSING, "gpu-hardware-fault", "gpu-driver-hung", "fabric-manager-down"),
        *("nvswitch-error", "nvlink-down", "nvlink-fabric-unhealthy", "pcie-errors"),
    ),
    "hca": (
        "hca-missing",
        "hca-fatal-error",
        "hca-driver-failed",
        "hca-interrupts-lost",
        "hca-service-missing",
        "port-down",
        "pcie-errors",
    ),
    "node": (
        *("nodes-unanswered", "health-check-failed", "host-memory-errors", "node-too-hot", "storage-failing"),
        *("disk-full", "host-memory-exhausted", "node-stalls"),
    ),
}
_TAKEN_BACK = regex(r"\bunhealthy\b")
"""The word of device plug-ins (``internal/rm/health.go`` of NVIDIA's, ``server.go`` of AMD's)."""


def with_reasons(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; faults explain the wants beside them."""
    wanted = {kind for found in findings if found.cause == _LAUNCH for kind in _wanted(found)}
    taken_back = any(map(_is_taken_back, findings))
    return [_explaining(found, wanted, taken_back=taken_back) for found in findings]


def _wanted(launch: Finding) -> list[str]:
    """What the launch failed for; nothing where it failed for something else, too."""
    texts = [line.text for line in launch.evidence]
    if not all(any(pattern.search(text) for pattern in _WANTS.values()) for text in texts):
        return []
    return [kind for kind, pattern in _WANTS.items() if any(map(pattern.search, texts))]


def _is_taken_back(found: Finding) -> bool:
    """Is this a GPU that is missing for no other reason than that a plug-in calls it unhealthy?"""
    return found.cause == _MISSING and all(_TAKEN_BACK.search(line.text) for line in found.evidence)


def _explaining(found: Finding, wanted: set[str], *, taken_back: bool) -> Finding:
    if found.severity not in ("error", "critical") or found.confidence == "possible":
        return found
    more = [_LAUNCH] if any(found.cause in _FAULTS[kind] for kind in wanted) else []
    if taken_back and found.cause in _FAULTS["gpu"] and found.cause != _MISSING:
        more.append(_MISSING)
    new = tuple(cause for cause in more if cause not in found.explains)
    return replace(found, explains=(*found.explains, *new)) if new else found

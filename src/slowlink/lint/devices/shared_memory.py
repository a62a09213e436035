"""The /dev/shm of a container is 64 MiB, unless a volume in memory is mounted there.

NCCL's shared-memory transport and its proxies put segments of some 10 MB for each pair of ranks there; data loaders
of PyTorch use it too.

When it is wrong: all GPUs of the pod are joined by NVLink and NCCL takes its host memory from CUDA (2.24 and newer).
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Workload
from slowlink.model.report import Confidence, Finding, Severity

CAUSES = ("shm-too-small",)
_PATH = "/dev/shm"  # noqa: S108  (a mount in the pod)
_LEAST_BYTES = 1 << 30
_FIX = """\
containers:
- volumeMounts:
  - {name: shm, mountPath: /dev/shm}
volumes:
- name: shm
  emptyDir: {medium: Memory}"""


def check(workload: Workload) -> Iterator[Finding]:
    """Of pods whose ranks share a node."""
    for role in workload.with_gpus:
        container = role.worker
        if container is None or container.gpus < 2 or role.spec["hostIPC"].is_true:
            continue
        mount = container.mount_at(_PATH)
        if mount is None:
            place = container.spot["volumeMounts"]
            lacks = f"{container.gpus} GPUs in a pod, and no memory is mounted at {_PATH}: a container has 64 MiB there"
            yield _finding(
                workload, lacks, "error", "likely", (place, "nothing at /dev/shm", "emptyDir, medium: Memory")
            )
            continue
        volume = role.volume(mount["name"].text)
        if volume is None or "emptyDir" not in volume.keys:
            continue  # a path of the host, or another driver
        directory = volume["emptyDir"]
        if directory["medium"].text != "Memory":
            said = (
                f"the volume at {_PATH} is no memory (emptyDir without medium: Memory): segments lie on the node's disk"
            )
            yield _finding(
                workload,
                said,
                "warning",
                "certain",
                (directory["medium"], directory["medium"].text or "unset", "Memory"),
            )
        limit = directory["sizeLimit"].quantity
        if limit is not None and limit < _LEAST_BYTES:
            said = f"{_PATH} is limited to {directory['sizeLimit'].text} for {container.gpus} GPUs"
            yield _finding(
                workload,
                said,
                "warning",
                "possible",
                (directory["sizeLimit"], directory["sizeLimit"].text, "1Gi or more"),
            )


def _finding(
    workload: Workload, message: str, severity: Severity, confidence: Confidence, at: tuple[Spot, str, str]
) -> Finding:
    return finding(
        "shm-too-small",
        workload,
        f"{message}; NCCL needs some 10 MB for each pair of ranks that talk through it, and fails without",
        severity=severity,
        confidence=confidence,
        at=[at],
        do="Mount memory of the node at /dev/shm; it counts as memory of the container.",
        snippet=_FIX,
    )

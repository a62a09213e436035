"""NCCL_NET_GDR_LEVEL keeps GPUDirect RDMA off, or forces it across sockets.

It is a distance on the PCIe tree, not a size: LOC (0) never, PIX (1) one switch, PXB (2) several, PHB (3) the same
socket, SYS (4, and above) across sockets. Without GPUDirect RDMA each HCA's data is staged through host memory: 6 to
14 GB/s a GPU were measured where 400 Gb/s carry 49.

When it is wrong: the platform has no path for GPUDirect, or does well across sockets.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("gdr-level-too-strict", "gdr-forced-far")
_NAME = "NCCL_NET_GDR_LEVEL"


def check(workload: Workload) -> Iterator[Finding]:
    """Of values that are extremes; those between depend on the node."""
    if workload.pods < 2:
        return
    for role in workload.roles:
        for container in role.containers:
            value = container.env.get(_NAME)
            level = value.text.strip().upper() if value is not None else ""
            if value is not None and level in ("LOC", "0"):
                yield finding(
                    "gdr-level-too-strict",
                    workload,
                    f"{_NAME}={value.text[:10]} turns GPUDirect RDMA off: data is staged through host memory, 6 "
                    "to 14 GB/s a "
                    "GPU where 400 Gb/s carry 49",
                    severity="error",
                    confidence="likely",
                    at=[(value, value.text, "unset, or PHB")],
                    do="Leave the choice to NCCL, or take the setting out and measure both.",
                    snippet=f"- name: {_NAME}\n  value: PHB",
                )
            elif value is not None and level in ("SYS", "4", "5"):
                yield finding(
                    "gdr-forced-far",
                    workload,
                    f"{_NAME}={value.text[:10]} is a distance, not a size: it lets GPUDirect RDMA cross the link "
                    "between "
                    "sockets, which can be slower than staging in host memory",
                    severity="info",
                    confidence="possible",
                    at=[(value, value.text, "unset, or PHB")],
                    do="Measure with and without it.",
                    snippet=f"- name: {_NAME}\n  value: PHB",
                )

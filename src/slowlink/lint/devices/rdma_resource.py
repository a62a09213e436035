"""Pods of several nodes without an HCA.

``hostNetwork`` shares interfaces and addresses, not devices: /dev/infiniband comes by the resource of an RDMA device
plug-in (or to a privileged container, by a mount). Without it NCCL falls back to TCP sockets: 3.2 GB/s a node were
measured where RDMA carries 50 to 400.

When it is wrong: the cluster's network plug-in adds the devices by itself, or there is no RDMA.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Container, Role, Workload
from slowlink.model.report import Finding

CAUSES = ("rdma-device-not-accessible",)
_VERBS = re.compile(r"NCCL_IB_(?!DISABLE)[A-Z_]+|UCX_NET_DEVICES|NCCL_NET_GDR_[A-Z]+")
_OFF = {"NCCL_IB_DISABLE": "1", "NCCL_NET": "Socket"}


def check(workload: Workload) -> Iterator[Finding]:
    """One for each role whose GPUs reach no HCA."""
    for role in workload.with_gpus:
        container = role.worker
        if container is None or workload.pods < 2 or _is_served(role) or _is_off(container):
            continue
        named = [name for name in container.env if _VERBS.fullmatch(name)]
        words = (
            f"although {', '.join(named[:3])} {'is' if len(named) == 1 else 'are'} set" if named else "on several nodes"
        )
        shared = "; hostNetwork shares interfaces, not devices" if role.is_on_host_network else ""
        limits = container.spot["resources"]["limits"]
        yield finding(
            "rdma-device-not-accessible",
            workload,
            f"its pods ask for no RDMA device {words}{shared}: NCCL falls back to TCP sockets, measured at 3.2 "
            "GB/s a node "
            "where RDMA carries 50 to 400",
            severity="error" if named else "warning",
            confidence="likely" if named else "possible",
            at=[
                (limits, ", ".join(limits.keys) or "none", "the resource of the RDMA device plug-in as well"),
                *((container.env[name], name, "") for name in named[:2]),
            ],
            do="Ask for the resource of the cluster's RDMA device plug-in (kubectl describe node shows its name).",
            snippet="resources:\n  limits:\n    rdma/hca_shared_devices_a: 1   # as `kubectl describe node` names it",
        )


def reaches_hcas(container: Container) -> bool:
    """By a resource of its own, or by a mount of the devices."""
    return bool(container.rdma) or container.mount_at("/dev/infiniband") is not None


def _is_served(role: Role) -> bool:
    annotations = role.template.at("metadata", "annotations")
    by_claim = bool(role.spec["resourceClaims"])
    return (
        by_claim
        or any("tcpx" in key or "networking.gke.io" in key for key in annotations.keys)
        or any(reaches_hcas(each) or each.has_other_devices or each.is_privileged for each in role.containers)
    )


def _is_off(container: Container) -> bool:
    return any(name in container.env and container.env[name].text == value for name, value in _OFF.items())

"""NCCL_SOCKET_IFNAME does not fit the interfaces that the pods will have.

A pod has eth0 and lo, and net1, net2 ... for each further network that Multus adds by annotation; a pod on its node's
network has the node's interfaces instead. NCCL meets its ranks over the named interface, and fails where there is none.

When it is wrong: the network plug-in names interfaces in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Container, Role, Workload
from slowlink.model.report import Confidence, Finding, Severity

CAUSES = ("socket-interface-wrong",)
_NAMES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
_MULTUS = "k8s.v1.cni.cncf.io/networks"
_ADDED = re.compile(r"net[0-9]+")


def check(workload: Workload) -> Iterator[Finding]:
    """One for each variable."""
    if workload.pods < 2:
        return
    for role in workload.roles:
        for container in role.containers:
            for name in _NAMES:
                value = container.env.get(name)
                if value is not None and value.text:
                    yield from _judged(workload, role, container, name, value)


def _judged(workload: Workload, role: Role, container: Container, name: str, value: Spot) -> Iterator[Finding]:
    chosen = [word.lstrip("=") for word in value.text.split(",") if word]
    if value.text.startswith("^"):
        return
    annotations = role.template.at("metadata", "annotations")
    networks = annotations[_MULTUS]
    has_added = bool(networks) or any(key.startswith("k8s.v1.cni") for key in annotations.keys)
    judged: tuple[str, Severity, Confidence, str] | None = None
    if chosen == ["lo"]:
        judged = ("it is the loopback of each pod: no rank reaches another", "error", "certain", "eth0")
    elif role.is_on_host_network and chosen == ["eth0"]:
        judged = (
            "the pods use their node's network, where interfaces seldom have this name: NCCL finds none and ends, or "
            "takes the network for management",
            "warning",
            "possible",
            "the node's interface",
        )
    elif all(map(_ADDED.match, chosen)) and not has_added and not role.is_on_host_network:
        judged = (
            "no annotation adds a further network, so the pods have eth0 alone: NCCL finds no interface and ends",
            "error",
            "likely",
            "eth0, or the annotation",
        )
    elif chosen == ["eth0"] and networks and not container.rdma:
        judged = (
            f"the pods get {networks.text[:60]} as net1, and NCCL's TCP traffic is sent over the cluster's own network",
            "warning",
            "likely",
            "net1",
        )
    if judged is None:
        return
    why, severity, confidence, wanted = judged
    yield finding(
        "socket-interface-wrong",
        workload,
        f"{name}={value.text[:60]}: {why}",
        severity=severity,
        confidence=confidence,
        at=[(value, value.text, wanted), *([(networks, networks.text, "")] if networks else [])],
        do="Name the interface that the pods have, or leave the choice to NCCL.",
        snippet=f"- name: {name}\n  value: {'net1' if wanted == 'net1' else 'eth0'}",
    )

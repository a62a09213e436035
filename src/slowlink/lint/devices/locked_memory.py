"""A pod that uses RDMA and may not lock memory.

An HCA reads and writes memory that must stay where it is. A container may lock 64 KiB or 8 MiB unless its runtime
allows more, or it has the capability IPC_LOCK.

When it is wrong: the container runtime starts with LimitMEMLOCK=infinity; ``ulimit -l`` in a pod says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.devices.rdma_resource import reaches_hcas
from slowlink.lint.finding import finding
from slowlink.lint.workload import Container, Role, Workload
from slowlink.model.report import Finding

CAUSES = ("memlock-limit",)
_FIX = 'securityContext:\n  capabilities:\n    add: ["IPC_LOCK"]'


def check(workload: Workload) -> Iterator[Finding]:
    """Of containers that reach HCAs."""
    for role in workload.ranks_roles:
        for container in role.containers:
            if not reaches_hcas(container) or container.is_privileged:
                continue
            added = container.spot.at("securityContext", "capabilities", "add")
            names = {each.upper().removeprefix("CAP_") for each in added.words}
            if not names & {"IPC_LOCK", "ALL"}:
                # Nodes that AWS makes for EFA come with a runtime that limits nothing.
                on_efa = all("/efa" in each.path for each in container.rdma) and bool(container.rdma)
                yield finding(
                    "memlock-limit",
                    workload,
                    "a container with HCAs lacks the capability IPC_LOCK: where the runtime limits locked memory "
                    "(64 KiB "
                    "to 8 MiB by default), queue pairs and buffers cannot be registered, and NCCL ends at its start",
                    severity="warning" if on_efa else "error",
                    confidence="possible" if on_efa else "likely",
                    at=[(added, ", ".join(added.words) or "none", "IPC_LOCK")],
                    do="Add the capability; `ulimit -l` in a pod says unlimited where the runtime needs none.",
                    snippet=_FIX,
                )
            elif (user := _user(role, container)) and user != 0:
                yield finding(
                    "memlock-limit",
                    workload,
                    f"IPC_LOCK is added for user {user}: Kubernetes gives added capabilities to root alone, so locked "
                    "memory stays limited unless the program's file carries the capability",
                    severity="warning",
                    confidence="possible",
                    at=[
                        (
                            container.spot.at("securityContext", "capabilities", "add"),
                            f"user {user}",
                            "root, or LimitMEMLOCK=infinity of the runtime",
                        )
                    ],
                    do="Run as root, or let the container runtime allow locked memory (LimitMEMLOCK=infinity).",
                    snippet='securityContext:\n  runAsUser: 0\n  capabilities:\n    add: ["IPC_LOCK"]',
                )


def _user(role: Role, container: Container) -> int | None:
    own = container.spot.at("securityContext", "runAsUser").number
    return own if own is not None else role.spec.at("securityContext", "runAsUser").number

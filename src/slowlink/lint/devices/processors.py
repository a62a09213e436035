"""A limit of CPU time on ranks.

A limit is a quota of each 100 ms: when a rank's threads have used it, all of them stand still until the next period,
and with it the proxies that drive the network. Only pods of class Guaranteed with whole CPUs get cores of their own,
where the node's CPU manager is static.

When it is wrong: the limit is far above what the threads use.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Container, Workload
from slowlink.model.report import Finding

CAUSES = ("cpu-limited",)
_EACH_GPU = 2
"""A main thread and one that drives the network, of each rank."""


def check(workload: Workload) -> Iterator[Finding]:
    """Of containers with GPUs and a limit."""
    for role in workload.with_gpus:
        for container in role.containers:
            limit = container.spot.at("resources", "limits", "cpu")
            cpus, gpus = limit.quantity, container.gpus
            if cpus is None or not gpus or (cpus >= _EACH_GPU * gpus and _is_guaranteed(container)):
                continue
            few = cpus < _EACH_GPU * gpus
            words = f"{limit.text} CPUs for {gpus} GPUs" + ("" if few else ", and requests that differ from limits")
            yield finding(
                "cpu-limited",
                workload,
                f"{words}: when the quota of a period of 100 ms is used, every thread of every rank stands still "
                "for its "
                "rest, and all other ranks wait",
                severity="warning",
                confidence="likely" if few else "possible",
                at=[(limit, limit.text, f"{_EACH_GPU * gpus} or more, the same as the request; or no limit")],
                do="Whole CPUs, equal in requests and limits (cores of their own with a static CPU manager), or "
                "no limit; "
                "memory too.",
                snippet=f"resources:\n  limits:\n    cpu: {max(8 * gpus, 8)}\n    memory: {64 * gpus}Gi",
            )


def _is_guaranteed(container: Container) -> bool:
    """Requests are the limits, where they are not given; whole CPUs."""
    resources = container.spot["resources"]
    limits, requests = resources["limits"], resources["requests"]
    alike = all(not requests[key] or requests[key].quantity == limits[key].quantity for key in ("cpu", "memory"))
    return alike and bool(limits["memory"]) and (limits["cpu"].quantity or 0) % 1 == 0

"""MASTER_ADDR is not where rank 0 will be.

The address of a pod is chosen when it starts; only with the node's own network is it known beforehand, and then the
job is bound to that node. A loopback address joins nobody.

When it is wrong: the network of the cluster gives this pod a fixed address.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("pods-not-joined",)
_BY_OPERATOR = ("PyTorchJob",)


def check(workload: Workload) -> Iterator[Finding]:
    """One for each such variable. Programs of nccl-tests do not read it: another check says so."""
    if workload.pods < 2:
        return
    for role in workload.roles:
        for container in role.containers:
            value = container.env.get("MASTER_ADDR")
            if value is None or not value.text or any(each.is_perf for each in container.commands):
                continue
            why = _why(value.text.strip(), role.is_on_host_network)
            if why:
                yield finding(
                    "pods-not-joined",
                    workload,
                    f"MASTER_ADDR is {value.text[:60]}, {why}; the other ranks wait for it, and the job ends at "
                    "its time limit",
                    severity="error" if "loopback" in why else "warning",
                    confidence="likely" if "loopback" in why else "possible",
                    at=[(value, value.text, "the name of the first pod: NAME-0.SERVICE")],
                    do="Name the pod of rank 0 by its headless Service.",
                    snippet="- name: MASTER_ADDR\n  value: bench-0.bench   # Job and Service bench, "
                    "completionMode Indexed",
                )


def _why(text: str, on_host: bool) -> str:
    if text == "localhost":
        return "a loopback address: each pod meets itself alone"
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if address.is_loopback:
        return "a loopback address: each pod meets itself alone"
    if on_host:
        return "the address of one node: rank 0 must happen to be placed there"
    return "an address, and that of a pod is only known when it has started"

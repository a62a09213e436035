"""``hostNetwork`` without ``dnsPolicy: ClusterFirstWithHostNet``.

Such a pod asks the name servers of its node, which know nothing of the cluster's Services and pods.

When it is wrong: ranks find one another by addresses of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Finding

CAUSES = ("pods-not-joined",)
_BY_NAME = ("MPIJob", "PyTorchJob", "JobSet", "LeaderWorkerSet", "StatefulSet")
_FIX = "spec:\n  hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet"


def check(workload: Workload) -> Iterator[Finding]:
    """Of roles on the network of their node."""
    for role in workload.roles:
        policy = role.spec["dnsPolicy"]
        if not role.is_on_host_network or workload.pods < 2 or policy.text in ("ClusterFirstWithHostNet", "None"):
            continue
        needed = workload.kind in _BY_NAME or bool(role.spec["subdomain"]) or _names_a_service(role, workload)
        yield finding(
            "pods-not-joined",
            workload,
            "hostNetwork without dnsPolicy ClusterFirstWithHostNet: names of pods and Services are not found"
            + (", and the ranks look one another up by such names" if needed else ""),
            severity="error" if needed else "warning",
            confidence="likely" if needed else "possible",
            at=[
                (role.spec["hostNetwork"], "hostNetwork: true", ""),
                (policy, policy.text or "ClusterFirst, the default", "ClusterFirstWithHostNet"),
            ],
            do="Say it beside hostNetwork.",
            snippet=_FIX,
        )


def _names_a_service(role: Role, workload: Workload) -> bool:
    names = {each.at("metadata", "name").text for each in workload.services} - {""}
    words = [value.text for each in role.containers for value in each.env.values()]
    return any(name in word.replace(":", ".").split(".") for name in names for word in words)

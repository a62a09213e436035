"""Pods of one job that may land on one node.

Then ranks talk over NVLink or shared memory, and what is measured is not the network.

When it is wrong: each pod takes all GPUs of its node.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Finding

CAUSES = ("pods-share-a-node",)
_WHOLE_NODE = 8
_FIX = """\
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - labelSelector: {matchLabels: {app: bench}}   # a label of these pods
      topologyKey: kubernetes.io/hostname"""


def check(workload: Workload) -> Iterator[Finding]:
    """Of roles of several pods, which nothing keeps apart."""
    for role in workload.with_gpus:
        if role.pods < 2 or role.gpus >= _WHOLE_NODE or workload.kind == "DaemonSet" or _is_apart(role, workload):
            continue
        rules = role.spec["affinity"]
        yield finding(
            "pods-share-a-node",
            workload,
            f"{role.pods} pods of {role.gpus} GPU{'s' if role.gpus > 1 else ''} may land on one node: NVLink is "
            "measured "
            "then, not the network",
            severity="warning",
            confidence="possible",
            at=[(rules, "nothing keeps the pods apart", "podAntiAffinity over kubernetes.io/hostname")],
            do="Keep the pods on nodes apart, unless each takes a whole node.",
            snippet=_FIX,
        )


def _is_apart(role: Role, workload: Workload) -> bool:
    strict = role.spec.at("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    spread = any(each["whenUnsatisfiable"].text != "ScheduleAnyway" for each in role.spec["topologySpreadConstraints"])
    annotations = [*workload.spot.at("metadata", "annotations").keys, *role.template.at("metadata", "annotations").keys]
    ports = any(port["hostPort"] for each in role.containers for port in each.spot["ports"])
    on_host = role.is_on_host_network and any(each.spot["ports"] for each in role.containers)
    return bool(strict) or spread or ports or on_host or any("exclusive-topology" in key for key in annotations)

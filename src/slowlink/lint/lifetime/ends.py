"""How a job of several pods ends, when a rank fails or hangs.

NCCL's ranks begin and end together. A pod that is started again alone meets nobody: the others wait until a time limit,
with all their GPUs. The default of a Job is six such attempts and no limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Finding

CAUSES = ("manifest-refused", "restarts-alone", "time-limit-unfit")
_LEAST_S = 300


def check(workload: Workload) -> Iterator[Finding]:
    """Of Jobs; a Deployment that runs a benchmark starts it again for ever."""
    if workload.kind == "Job":
        yield from _job(workload, workload.spec, workload.roles[0])
    elif workload.kind == "JobSet":
        for each, role in zip(workload.spec["replicatedJobs"], workload.roles, strict=True):
            yield from _job(workload, each.at("template", "spec"), role)
    elif workload.kind == "MPIJob":
        policy = workload.spec["runPolicy"]
        yield from _limit(workload, policy["activeDeadlineSeconds"])
    elif workload.kind in ("Deployment", "StatefulSet", "ReplicaSet") and _is_benchmark(workload):
        yield finding(
            "restarts-alone",
            workload,
            f"a benchmark that ends is started again for ever by a {workload.kind}, each pod at its own time: "
            "ranks that "
            "begin apart wait for one another",
            severity="warning",
            confidence="certain",
            at=[(workload.spot["kind"], workload.kind, "Job")],
            do="Use a Job.",
            snippet="apiVersion: batch/v1\nkind: Job\nspec:\n  completionMode: Indexed\n  backoffLimit: 0",
        )


def _is_benchmark(workload: Workload) -> bool:
    return any(command.runs_perf for *_, command in workload.commands())


def _job(workload: Workload, job: Spot, role: Role) -> Iterator[Finding]:
    restart = role.spec["restartPolicy"]
    if restart.text not in ("Never", "OnFailure"):
        yield finding(
            "manifest-refused",
            workload,
            f"restartPolicy {restart.text[:20] or 'is not set, which means Always'}: the API server refuses it in "
            "a Job",
            severity="error",
            confidence="certain",
            at=[(restart, restart.text or "unset", "Never")],
            do="Pods of a Job are never started again by their node.",
            snippet="spec:\n  template:\n    spec:\n      restartPolicy: Never",
        )
    backoff = job["backoffLimit"]
    if role.pods > 1 and role.gpus and backoff.text != "0" and not job["podFailurePolicy"]:
        tries = backoff.number if backoff.number is not None else 6
        yield finding(
            "restarts-alone",
            workload,
            f"a pod that fails is started again alone, up to {tries} times{_twice(restart.text)}: its ranks meet "
            "nobody, and "
            f"the GPUs of {role.pods} pods wait",
            severity="warning",
            confidence="likely",
            at=[(backoff, backoff.text or "6, the default", "0")],
            do="End the whole job when one pod fails, and start it as a whole.",
            snippet="spec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never",
        )
    yield from _limit(workload, job["activeDeadlineSeconds"])


def _twice(policy: str) -> str:
    return ", and by its node" if policy == "OnFailure" else ""


def _limit(workload: Workload, spot: Spot) -> Iterator[Finding]:
    if workload.pods < 2:
        return
    seconds = spot.number
    held = sum(role.pods for role in workload.ranks_roles)
    if seconds is None and _is_benchmark(workload):
        yield finding(
            "time-limit-unfit",
            workload,
            f"no time limit: a rank that hangs keeps the GPUs of {held} pods for ever",
            severity="info",
            confidence="certain",
            at=[(spot, "unset", "1800")],
            do="Give a benchmark a limit.",
            snippet="activeDeadlineSeconds: 1800",
        )
    elif seconds is not None and 0 < seconds < _LEAST_S:
        yield finding(
            "time-limit-unfit",
            workload,
            f"the job is ended after {seconds} s, which also counts pulling images and waiting for nodes",
            severity="warning",
            confidence="possible",
            at=[(spot, f"{seconds} s", f"{_LEAST_S} s or more")],
            do="Leave time for the start.",
            snippet="activeDeadlineSeconds: 1800",
        )

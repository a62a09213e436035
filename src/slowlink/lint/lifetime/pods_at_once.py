"""Pods of one Job that do not run at the same time.

Ranks meet only when all of them are there. With more completions than parallelism the rest of the pods starts when the
first ones have ended; with fewer only so many pods are started.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("pods-not-joined",)


def check(workload: Workload) -> Iterator[Finding]:
    """Of Jobs that say both."""
    if workload.kind not in ("Job", "CronJob", "JobSet"):
        return
    jobs = [workload.spec if workload.kind == "Job" else workload.spec.at("jobTemplate", "spec")]
    if workload.kind == "JobSet":
        jobs = [each.at("template", "spec") for each in workload.spec["replicatedJobs"]]
    for job in jobs:
        parallel, completions = job["parallelism"].number, job["completions"].number
        if completions is None or parallel == completions or (parallel or 1) == completions == 1:
            continue
        started = parallel if parallel is not None else 1
        if completions > started == 1 and job["completionMode"].text != "Indexed":
            continue  # one pod after another: repetitions
        if completions > started:
            words = (
                f"{completions} completions and {started} pods at once: the others start when the first have ended, "
                "and ranks wait for them in vain"
            )
        else:
            words = (
                f"parallelism {started} and {completions} completions: only {completions} pods are started, and ranks "
                "of the others are waited for"
            )
        yield finding(
            "pods-not-joined",
            workload,
            words,
            severity="error" if completions > started else "warning",
            confidence="likely",
            at=[
                (job["completions"], str(completions), str(started)),
                (job["parallelism"], str(started), str(completions)),
            ],
            do="As many completions as pods at once.",
            snippet=f"spec:\n  parallelism: {max(completions, started)}\n  completions: {max(completions, started)}",
        )

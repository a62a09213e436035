"""The scheduler ended the job at its time limit.

The job was still running when its wall time was over, and the scheduler (Slurm, or Kubernetes with a deadline) killed
it.

Why it matters: the results end wherever the job was. A job that normally ends in time may have been stuck.
How to confirm: ``sacct -j JOB -o JobID,State,Elapsed,Timelimit`` shows TIMEOUT.
What to do: ask for more time, test fewer sizes, or find out why it took so long: see which line was printed last, and
how long before the end.
When it is wrong: a hang was the cause, and the limit only ended it. A watchdog's message shows that, or a long silence
before the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_job, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import SBATCH
from slowlink.rules.evidence.messages import groups_of, happened, hosts_of, refs_of
from slowlink.rules.job.process_ends import LIMITS

CAUSES = ("time-limit",)
_FOR_A_STEP = " for the job, or for the step alone (srun --time)"


def check(events: Events) -> Iterator[Finding]:
    """One finding for all jobs that were ended so."""
    found = happened(events, *LIMITS)
    if not found:
        return
    job = groups_of(found, "job")
    hosts = hosts_of(found)
    # A step may have a limit of its own (srun --time), and its job goes on; or the limit was the job's.
    what = "step" if groups_of(found, "what") == ("STEP",) else "job"
    yield finding(
        "time-limit",
        f"the scheduler cancelled {what} {job[0]} at its time limit"
        if job
        else "the scheduler ended the job at its limit",
        severity="critical",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("process", [f"{what} {number}" for number in job] or hosts),
        explains=("rank-lost", "output-truncated", "nccl-error-unexplained"),
        remedy=[
            (
                "Compare the elapsed time with the limit.",
                command("sacct", "-j", as_job(next(iter(job), None)), "-o", "JobID,State,Elapsed,Timelimit"),
            ),
            (
                f"Ask for more time{_FOR_A_STEP if what == 'step' else ''}, if the job was making progress.",
                "sbatch --time=HH:MM:SS ...",
            ),
        ],
        references=[SBATCH],
    )

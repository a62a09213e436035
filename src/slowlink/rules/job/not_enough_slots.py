"""The launcher has fewer slots than the ranks that were asked for.

Open MPI counts the slots of the hosts that it was given, or of the scheduler's allocation, and refuses to start more
ranks than that. Slurm refuses a step that asks for more tasks or processors than its job has.

Why it matters: no rank is started.
How to confirm: compare ``-np`` with the sum of ``slots=`` in the host file, or with SLURM_NTASKS; in Slurm the step's
``--ntasks`` with the job's (``scontrol show job JOB``).
What to do: give each host its number of slots (``--host node01:8,node02:8``), ask the scheduler for as many tasks, or
lower ``-np``. ``--oversubscribe`` is no answer for GPUs: two ranks would share one.
When it is wrong: never as such, the launcher says so itself; where a run follows and comes to its end, that attempt
was corrected, and this is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence
from slowlink.rules.evidence.links_to_docs import OPEN_MPI, SRUN
from slowlink.rules.evidence.messages import FAILED_RUN, groups_of, happened, overcome, refs_of

CAUSES = ("not-enough-slots",)

_REFUSED = ("slurm-launch-failed", "slurm-invalid")
_MORE = regex(r"(?i)\berror: .{0,80}more (?:processors|tasks) requested than permitted")
"""Source: ``slurm_errno.c`` of Slurm (ESLURM_TOO_MANY_REQUESTED_CPUS), which all versions have."""


def check(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all attempts with Open MPI, and one for those with Slurm."""
    yield from _of_slurm(events, sweeps)
    found = happened(events, "ompi-not-enough-slots")
    if not found:
        return
    asked = groups_of(found, "slots")
    ran = overcome(refs_of(found), sweeps)
    yield finding(
        "not-enough-slots",
        f"Open MPI has fewer slots than the {asked[0] + ' ' if asked else ''}ranks that were asked for",
        severity="warning" if ran else "critical",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        explains=("launcher-failed", *FAILED_RUN),
        remedy=[
            ("Give each host its slots, one for each GPU.", "mpirun -np 16 --host node01:8,node02:8 ..."),
            ("Or ask the scheduler for as many tasks as ranks.", "sbatch --nodes=2 --ntasks-per-node=8 ..."),
        ],
        references=[OPEN_MPI],
    )


def _of_slurm(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    refused = [event for event in happened(events, *_REFUSED) if _MORE.search(event.ref.text)]
    if not refused:
        return
    ran = overcome(refs_of(refused), sweeps)
    yield finding(
        "not-enough-slots",
        "a step of the job asks for more tasks or processors than the job has",
        severity="warning" if ran else "critical",
        confidence="likely",
        evidence=lines_evidence(refs_of(refused)),
        explains=("launcher-failed", *FAILED_RUN),
        remedy=[
            (
                "Compare the request of the step with what the job has.",
                "scontrol show job JOB | grep -E 'NumNodes|NumTasks|TRES'",
            ),
            ("Ask for no more than that, or give the job more.", "srun --nodes=N --ntasks=N --cpus-per-task=N ..."),
        ],
        references=[SRUN],
    )

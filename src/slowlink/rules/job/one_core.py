"""Processes are bound to one core.

A rank that drives a GPU has more than one thread to run: its own, NCCL's proxies, the loaders of its data. Launchers
that bind each process to one core (``srun`` without ``--cpus-per-task`` of its own, ``mpirun --bind-to core``) let all
of them take turns on it.

Why it matters: every step waits for threads that wait for one another; it costs a factor, and no GPU or link shows it.
How to confirm: ``taskset -cp PID`` of a rank, or ``srun --cpu-bind=verbose``; then start again with more cores.
What to do: give each task its share of the node. Since Slurm 22.05, srun does not take over what sbatch was told:
export SRUN_CPUS_PER_TASK, or give ``--cpus-per-task`` to srun. With mpirun: ``--bind-to numa``.
When it is wrong: a program of MPI without GPUs is bound so on purpose. Where nothing shows a training, it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Paces
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export_from
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import counted, happened, hosts_of, listed, refs_of

CAUSES = ("proxy-affinity",)

_EXPLAINS = (
    "busbw-below-expected",
    "latency-high",
    "bandwidth-unstable",
    "pace-drops",
    "data-loading-slow",
    "straggler-node",
)
_LOADER = "PyTorch"


def check(events: Events, paces: Paces | None) -> Iterator[Finding]:
    """One finding for all processes that are bound so."""
    alone = [event for event in happened(events, "process-binding") if event.groups.get("cores") == "1"]
    if not alone:
        return
    bound = [event for event in alone if event.groups.get("by") != _LOADER]
    trains = len(bound) < len(alone) or any(pace.work == "training" for pace in (paces.all if paces else ()))
    who = sorted({event.groups["by"] for event in bound})
    many = sum(event.count for event in bound)
    what = (
        f"{counted(many, 'process', 'processes')} bound to one core each, as {listed(who)} says"
        if bound
        else ("a process may use one processor only, as PyTorch's loader of data says")
    )
    yield finding(
        "proxy-affinity",
        f"{what}: its threads, NCCL's proxies and its loaders of data take turns on it",
        severity="error" if trains else "warning",
        confidence="likely" if trains else "possible",
        evidence=lines_evidence(refs_of(alone)),
        suspects=suspects("node", hosts_of(alone)),
        explains=_EXPLAINS,
        remedy=[
            Step("Ask what a task may use.", "srun --cpu-bind=verbose hostname"),
            Step("Let srun take over the cores of the job.", export_from("SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK")),
            Step("With Open MPI, bind to NUMA nodes.", "mpirun --bind-to numa --report-bindings hostname"),
        ],
    )

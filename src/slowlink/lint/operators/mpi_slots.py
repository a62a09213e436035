"""An MPIJob whose slots, processes and GPUs do not fit.

The operator writes a host file with ``slotsPerWorker`` slots for each worker; mpirun starts ``-np`` processes there,
and each takes ``-g`` GPUs of its pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.shell import MPI, Command
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Finding

CAUSES = ("not-enough-slots", "gpus-over-requested", "gpus-unused")
_NUMBER = ("-np", "-n", "--np", "--n", "-c")


def check(workload: Workload) -> Iterator[Finding]:
    """Of MPIJobs."""
    if workload.kind != "MPIJob":
        return
    slots_spot = workload.spec["slotsPerWorker"]
    slots = slots_spot.number if slots_spot.number is not None else 1
    hosts = [role for role in workload.roles if role.name == "Worker"]
    if workload.spec["runLauncherAsWorker"].is_true:
        hosts = [role for role in workload.roles if role.name in ("Worker", "Launcher")]
    pods = sum(role.pods for role in hosts)
    gpus = max((role.gpus for role in hosts), default=0)
    started = [(place, command) for place, command in _started(workload)]
    each = max((_gpus_of(command) for _, command in started), default=1)
    if gpus and slots * each > gpus:
        yield finding(
            "gpus-over-requested",
            workload,
            f"slotsPerWorker {slots}{f' with -g {each}' if each > 1 else ''} for {gpus} GPUs of a worker: "
            f"{slots * each - gpus} "
            "too many, and such a rank ends at its start",
            severity="error",
            confidence="likely",
            at=[(slots_spot, str(slots), str(gpus // each or 1)), (_gpus_at(hosts), f"{gpus} GPUs", "")],
            do="A slot for each GPU.",
            snippet=f"spec:\n  slotsPerWorker: {gpus // each or 1}",
        )
    elif gpus and slots * each < gpus:
        yield finding(
            "gpus-unused",
            workload,
            f"slotsPerWorker {slots}{'' if slots_spot else ', the default,'} for {gpus} GPUs of a worker: "
            f"{gpus - slots * each} of "
            "them, and the HCAs beside them, stay unused",
            severity="warning",
            confidence="likely",
            at=[(slots_spot, str(slots), str(gpus // each)), (_gpus_at(hosts), f"{gpus} GPUs", "")],
            do="A slot for each GPU.",
            snippet=f"spec:\n  slotsPerWorker: {gpus // each}",
        )
    for place, command in started:
        number = command.before_perf.count(*_NUMBER)
        if number is not None and number != slots * pods:
            yield _number(workload, place, number, slots, pods, oversubscribed="--oversubscribe" in command.words)


def _started(workload: Workload) -> Iterator[tuple[Spot, Command]]:
    for _, container, command in workload.commands():
        if command.program in MPI:
            place = container.spot["args"] or container.spot["command"]
            yield Spot(place.source, None, place.path, command.line), command


def _gpus_of(command: Command) -> int:
    perf = command.behind_perf
    return (perf.count("-g", "--ngpus") or 1) * (perf.count("-t", "--nthreads") or 1) if perf is not None else 1


def _gpus_at(hosts: list[Role]) -> Spot:
    role = max(hosts, key=lambda each: each.gpus)
    assert role.worker is not None
    return role.worker.spot["resources"]["limits"]


def _number(workload: Workload, place: Spot, number: int, slots: int, pods: int, *, oversubscribed: bool) -> Finding:
    there = slots * pods
    words = f"mpirun starts {number} processes on {there} slots ({pods} workers of {slots}): "
    if number > there and not oversubscribed:
        cause = "not-enough-slots"
        words += "it refuses, and no rank starts"
    elif number > there:
        cause = "gpus-over-requested"
        words += "several ranks share a GPU, which NCCL refuses"
    else:
        cause = "gpus-unused"
        words += f"{there - number} slots, and their GPUs and HCAs, stay unused" + (
            "; all ranks fit into the first pods" if number <= there - slots else ""
        )
    return finding(
        cause,
        workload,
        words,
        severity="warning" if number < there else "error",
        confidence="likely",
        at=[(place, f"-np {number}", f"-np {there}"), (workload.spec["slotsPerWorker"], str(slots), "")],
        do="One process for each slot.",
        snippet=f'command: [mpirun, -np, "{there}", ...]',
    )

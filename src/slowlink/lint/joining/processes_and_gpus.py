"""Processes and GPUs that do not fit: ``-g`` of nccl-tests, ``--nproc_per_node`` of torchrun, ``nprocPerNode``.

More than there are ends at the start (invalid device ordinal); fewer leaves GPUs, and the HCAs beside them, unused.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Container, Workload
from slowlink.model.report import Finding

CAUSES = ("gpus-over-requested", "gpus-unused")


def check(workload: Workload) -> Iterator[Finding]:
    """Of each container that has GPUs."""
    for role in workload.with_gpus:
        for container in role.containers:
            if container.gpus:
                for number, what, spot in _asked(workload, container):
                    yield from _judged(workload, container, number, what, spot)


def _asked(workload: Workload, container: Container) -> Iterator[tuple[int, str, Spot]]:
    declared = workload.spec["nprocPerNode"]
    if workload.kind == "PyTorchJob" and declared.number:
        yield declared.number, f"nprocPerNode: {declared.number}", declared
    for command in container.commands:
        place = container.spot["args"] or container.spot["command"]
        spot = Spot(place.source, None, place.path, command.line)
        if command.is_perf:
            each = command.count("-g", "--ngpus") or 1
            threads = command.count("-t", "--nthreads") or 1
            yield each * threads, f"{command.program} -g {each}" + (f" -t {threads}" if threads > 1 else ""), spot
        elif command.program == "torchrun" or "torch.distributed.run" in command.words:
            many = command.count("--nproc_per_node", "--nproc-per-node")
            if many:
                yield many, f"--nproc_per_node {many}", spot


def _option(what: str, gpus: int) -> str:
    if what.startswith("nprocPerNode"):
        return f'spec:\n  nprocPerNode: "{gpus}"'
    option = "--nproc_per_node" if what.startswith("--nproc") else "-g"
    return f'args: ["{option}", "{gpus}"]   # and the others as they are'


def _judged(workload: Workload, container: Container, number: int, what: str, spot: Spot) -> Iterator[Finding]:
    gpus = container.gpus
    if number == gpus:
        return
    resource = container.spot["resources"]["limits"]
    too_many = number > gpus
    yield finding(
        "gpus-over-requested" if too_many else "gpus-unused",
        workload,
        f"{what} uses {number} of the GPUs, and the pod has {gpus}: "
        + (
            "the ranks beyond have none, and the job ends at its start"
            if too_many
            else f"{gpus - number} of them, and the HCAs beside them, stay unused"
        ),
        severity="error" if too_many else "warning",
        confidence="likely",
        at=[(spot, what, f"{gpus} GPUs"), (resource, f"{gpus} GPUs", "")],
        do="One process for each GPU that the pod asks for (nccl-tests: -g times -t in all).",
        snippet=_option(what, gpus),
    )

"""Several single-process runs were started where one run was meant.

nccl-tests forms one communicator over all processes only when it was compiled with ``MPI=1``. Without it each process
that mpirun or srun starts runs its own test of its own GPUs, and prints its own table that begins with Rank 0. The
same happens with two pods that each run the program: nccl-tests reads no MASTER_ADDR. It shows as tables whose lines
are mixed, or as a command line for more processes than the table below it has ranks.

Why it matters: nothing between the processes is measured. With one GPU each, bus bandwidth is 0 everywhere.
How to confirm: ``ldd ./all_reduce_perf | grep libmpi`` shows nothing.
What to do: ``make clean; make MPI=1 MPI_HOME=...`` and start it through mpirun or srun.
When it is wrong: when several independent single-node tests were started side by side on purpose. It is certain only
for several runs of one rank each.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Commands, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TESTS

CAUSES = ("built-without-mpi",)


def check(sweeps: Sweeps, commands: Commands | None) -> Iterator[Finding]:
    """One finding: for runs side by side, or else for runs below a command that starts more processes.

    A single run whose lines are mixed with something else shows no second process, and is left alone.
    """
    alone = [sweep for sweep in sweeps.all if _one_process(sweep)]
    together = [sweep for sweep in alone if sweep.interleaved]
    launched = [(sweep, command) for sweep in alone if (command := _launch(sweep, commands)) is not None]
    if len(together) > 1:
        yield _finding(together, launched[0][1].nranks if launched else None)
    elif launched:
        yield _finding([sweep for sweep, _ in launched], launched[0][1].nranks)


def _one_process(sweep: MeasuredSweep) -> bool:
    """Do all of this run's devices belong to one process, with rank 0 among them?"""
    devices = sweep.run.devices
    pids = {device.pid for device in devices}
    return (
        bool(devices) and not sweep.run.devices_elided and len(pids) == 1 and None not in pids and devices[0].rank == 0
    )


def _launch(sweep: MeasuredSweep, commands: Commands | None) -> Command | None:
    """The nearest command of a benchmark above the run, where it starts more processes than the run has ranks."""
    above = [
        c
        for c in (commands.all if commands is not None else ())
        if c.ref.source == sweep.run.source and c.ref.line < sweep.run.header.line and c.program.endswith("_perf")
    ]
    nearest = max(above, key=lambda c: c.ref.line) if above else None
    if nearest is None or nearest.nranks is None or nearest.nranks < 2 or sweep.nranks is None:
        return None
    return nearest if nearest.nranks > sweep.nranks else None


def _finding(runs: list[MeasuredSweep], asked: int | None) -> Finding:
    ranks = runs[0].nranks or 1
    each = "one rank" if ranks == 1 else f"{ranks} ranks"
    processes = f"{len(runs)} single-process runs" if len(runs) > 1 else "a single-process run"
    hosts = dict.fromkeys(host for run in runs for host in run.hosts)
    proven = len(runs) > 1 and ranks == 1
    return finding(
        "built-without-mpi",
        f"{processes} of {each} {'each ' if len(runs) > 1 else ''}"
        + (f"instead of one run of {asked} processes" if asked else "instead of one run over all ranks")
        + ": the benchmark was built without MPI",
        severity="critical",
        confidence="certain" if proven else "likely",
        evidence=[line_evidence(run.run.devices[0].ref, observed="Rank 0 of its own run") for run in runs[:4]],
        suspects=suspects("node", hosts),
        explains=("one-rank", "busbw-below-expected", "output-truncated", "latency-high"),
        remedy=[
            ("Build the tests with MPI.", "make clean && make MPI=1 MPI_HOME=/path/to/mpi"),
            ("Check that the program is linked with MPI.", "ldd ./build/all_reduce_perf | grep libmpi"),
        ],
        references=[NCCL_TESTS],
    )

"""Several single-process runs were started where one run was meant.

nccl-tests forms one communicator over all processes only when it was compiled with ``MPI=1``. Without it each process
that mpirun or srun starts runs its own test of its own GPUs, and prints its own table that begins with Rank 0. The
same happens with two pods that each run the program: nccl-tests reads no MASTER_ADDR. It shows as tables whose lines
are mixed, as a command line for more processes than the table below it has ranks, as equal runs of one rank each on
several hosts in one log, or as a manifest of a Job whose pods all call the test without a launcher (a warning: that is
what was asked for, and not what ran).

Why it matters: nothing between the processes is measured. With one GPU each, bus bandwidth is 0 everywhere.
How to confirm: ``ldd ./all_reduce_perf | grep libmpi`` shows nothing.
What to do: ``make clean; make MPI=1 MPI_HOME=...`` and start it through mpirun or srun.
When it is wrong: when several independent single-node tests were started side by side on purpose. It is certain only
for several runs of one rank each whose lines are mixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.facts.around_runs import ByLine
from slowlink.model.facts import Commands, MeasuredSweep, Observations, Sweeps
from slowlink.model.job import Command, Observation
from slowlink.model.report import Confidence, Finding
from slowlink.parsers.context.kubernetes_manifest import PARALLELISM
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TESTS

CAUSES = ("built-without-mpi",)

_MANIFEST_LINES = 100
"""A container's command stands within so many lines below the number of pods."""


def check(sweeps: Sweeps | None, commands: Commands | None, observations: Observations | None) -> Iterator[Finding]:
    """One finding: for runs side by side, or else for runs below a command that starts more processes, or on several
    hosts, or for the manifest that asks for them.

    A single run whose lines are mixed with something else shows no second process, and is left alone.
    """
    alone = [sweep for sweep in sweeps.all if _one_process(sweep)] if sweeps is not None else []
    together = [sweep for sweep in alone if sweep.interleaved]
    known = commands.all if commands is not None else ()
    benchmarks = ByLine(
        (command for command in known if command.program.endswith("_perf")), lambda command: command.ref
    )
    launched = [(sweep, command) for sweep in alone if (command := _launch(sweep, benchmarks)) is not None]
    if len(together) > 1:
        sure: Confidence = "certain" if together[0].nranks == 1 else "likely"
        yield _finding(together, launched[0][1].nranks if launched else None, sure)
    elif launched:
        yield _finding([sweep for sweep, _ in launched], launched[0][1].nranks, "likely")
    elif apart := _on_several_hosts(alone):
        yield _finding(apart, None, "likely")
    elif (asked := _pods(commands, observations)) is not None:
        yield _asked_for(*asked)


def _one_process(sweep: MeasuredSweep) -> bool:
    """Do all of this run's devices belong to one process, with rank 0 among them?"""
    devices = sweep.run.devices
    pids = {device.pid for device in devices}
    return (
        bool(devices) and not sweep.run.devices_elided and len(pids) == 1 and None not in pids and devices[0].rank == 0
    )


def _launch(sweep: MeasuredSweep, benchmarks: ByLine[Command]) -> Command | None:
    """The nearest command of a benchmark above the run, where it starts more processes than the run has ranks."""
    nearest = benchmarks.above(sweep.run.source, sweep.run.header.line - 1)
    if nearest is None or nearest.nranks is None or nearest.nranks < 2 or sweep.nranks is None:
        return None
    return nearest if nearest.nranks > sweep.nranks else None


def _on_several_hosts(alone: Sequence[MeasuredSweep]) -> list[MeasuredSweep]:
    """Runs of one rank each that ask the same, on more than one host of one source: one job, meant as one run."""
    alike: dict[object, list[MeasuredSweep]] = {}
    for sweep in alone:
        if sweep.nranks == 1:
            same = (sweep.run.source, sweep.collective, tuple(sorted(sweep.run.parameters.items())))
            alike.setdefault(same, []).append(sweep)
    return next((runs for runs in alike.values() if len({host for run in runs for host in run.hosts}) > 1), [])


def _pods(commands: Commands | None, observations: Observations | None) -> tuple[Command, Observation] | None:
    """The command of a benchmark without a launcher, in the manifest of a Job that starts several pods."""
    found = observations.all if observations is not None else ()
    asked = ByLine((seen for seen in found if seen.kind == PARALLELISM and int(seen.value) > 1), lambda seen: seen.ref)
    for command in commands.all if commands is not None else ():
        if command.launcher is not None or command.everywhere or not command.program.endswith("_perf"):
            continue
        seen = asked.above(command.ref.source, command.ref.line - 1)
        if seen is not None and command.ref.line - seen.ref.line < _MANIFEST_LINES:
            return command, seen
    return None


def _asked_for(command: Command, seen: Observation) -> Finding:
    return finding(
        "built-without-mpi",
        f"each of the {seen.value} pods of the Job runs {command.program} by itself: without a launcher nothing joins"
        " them, and nothing between them is measured",
        severity="warning",
        confidence="likely",
        evidence=[line_evidence(seen.ref, observed=f"{seen.value} pods"), line_evidence(command.ref)],
        remedy=[
            ("Start the ranks from one pod, over the others.", "slowlink manifest all_reduce --operator mpijob"),
        ],
        references=[NCCL_TESTS],
    )


def _finding(runs: list[MeasuredSweep], asked: int | None, confidence: Confidence) -> Finding:
    ranks = runs[0].nranks or 1
    each = "one rank" if ranks == 1 else f"{ranks} ranks"
    processes = f"{len(runs)} single-process runs" if len(runs) > 1 else "a single-process run"
    hosts = dict.fromkeys(host for run in runs for host in run.hosts)
    return finding(
        "built-without-mpi",
        f"{processes} of {each} {'each ' if len(runs) > 1 else ''}"
        + (f"instead of one run of {asked} processes" if asked else "instead of one run over all ranks")
        + ": the benchmark was built without MPI",
        severity="critical",
        confidence=confidence,
        evidence=[line_evidence(run.run.devices[0].ref, observed="Rank 0 of its own run") for run in runs[:4]],
        suspects=suspects("node", hosts),
        explains=("one-rank", "busbw-below-expected", "output-truncated", "latency-high"),
        remedy=[
            ("Build the tests with MPI.", "make clean && make MPI=1 MPI_HOME=/path/to/mpi"),
            ("Check that the program is linked with MPI.", "ldd ./build/all_reduce_perf | grep libmpi"),
        ],
        references=[NCCL_TESTS],
    )

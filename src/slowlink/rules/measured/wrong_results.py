"""The collective returned wrong data.

nccl-tests compares every result with what it computed itself. ``#wrong`` above zero, or ``Out of bounds values : N
FAILED``, means that elements came back different. N counts checks that failed, not wrong elements. The OSU benchmarks
compare, too, where they were asked to: ``Fail`` under Validation.

Why it matters: a job on such a system trains on garbage. It is worse than any loss of speed, and it is never noise.
How fast a sick part is says little until it is gone, so low and unsteady bandwidth of the same job stands below this.
How to confirm: run again with ``-c 20`` on halves of the nodes until one node or one link is left.
What to do: remove forced protocols first (NCCL_PROTO=LL128 corrupts data where NCCL does not choose it by itself).
Then take the suspect nodes out, and read their ECC and link error counters.
When it is wrong: never as such. ``N/A`` (not checked), rows that are damaged in the log, and the ``error`` column of
versions before 2.13, which is a rounding difference, do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.benchmark import MpiRow, MpiTable, MpiTables, Point
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.units import format_size

CAUSES = ("wrong-results",)


def check(sweeps: Sweeps | None, mpi_tables: MpiTables | None) -> Iterator[Finding | Proof]:
    """One finding for each run with wrong data. That data is right proves nothing about speed."""
    for table in mpi_tables.all if mpi_tables is not None else ():
        failed = [row for row in table.rows if row.wrong]
        if failed:
            yield _failed(table, failed)
    for sweep in sweeps.all if sweeps is not None else ():
        wrong = [point for point in sweep.run.points if point.wrong and point.doubt is None]
        if wrong or sweep.run.out_of_bounds_failed:
            yield _finding(sweep, wrong)


def _failed(table: MpiTable, rows: list[MpiRow]) -> Finding:
    sizes = list(dict.fromkeys(format_size(row.size_bytes) for row in rows if row.size_bytes is not None))
    return finding(
        "wrong-results",
        f"{table.library or 'MPI'} returned wrong data: {table.test or 'a test'} fails its validation"
        + (f" at {', '.join(sizes[:3])}" if sizes else ""),
        severity="critical",
        confidence="certain",
        evidence=[line_evidence(row.ref, observed="Fail", expected="Pass") for row in rows[:3]],
        explains=("busbw-below-expected", "bandwidth-unstable"),
        remedy=[
            ("Repeat on halves of the nodes until the node or link is found.", ""),
            ("Read the memory errors of the GPUs on the suspect nodes.", "nvidia-smi -q -d ECC,ROW_REMAPPER"),
        ],
    )


def _finding(sweep: MeasuredSweep, wrong: list[Point]) -> Finding:
    rows = {point.ref: point for point in reversed(wrong)}
    evidence = [
        line_evidence(ref, observed=f"#wrong = {point.wrong:g} at {format_size(point.size_bytes)}", expected="0")
        for ref, point in list(reversed(rows.items()))[:3]
    ]
    if sweep.run.out_of_bounds_ref is not None and sweep.run.out_of_bounds_failed:
        evidence.append(
            line_evidence(
                sweep.run.out_of_bounds_ref,
                observed=f"{sweep.run.out_of_bounds} failing checks",
                expected="0",
            )
        )
    sizes = list(dict.fromkeys(format_size(point.size_bytes) for point in wrong))
    where = f" at {', '.join(sizes[:3])}" if sizes else ""
    ranks = f" on {sweep.nranks} ranks" if sweep.nranks else ""
    return finding(
        "wrong-results",
        f"{sweep.collective or 'the collective'}{ranks} returned wrong data{where}"
        + (f" ({sweep.run.out_of_bounds} failing checks)" if sweep.run.out_of_bounds else ""),
        severity="critical",
        confidence="certain",
        evidence=evidence,
        explains=("busbw-below-expected", "bandwidth-unstable"),
        remedy=[
            (
                "Repeat with many checks on halves of the nodes until the node or link is found.",
                command(as_benchmark(sweep.collective), "-b", "8M", "-e", "1G", "-f", "2", "-c", "20"),
            ),
            ("Read the memory errors of the GPUs on the suspect nodes.", "nvidia-smi -q -d ECC,ROW_REMAPPER"),
        ],
    )

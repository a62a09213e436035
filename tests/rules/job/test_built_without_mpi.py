from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

FAILED = "".join(
    line.replace("node01", host)
    for line in table(nranks=1, hosts=("node01",)).splitlines(keepends=True)
    for host in ("node01", "node02")
)

FINE = table()


def test_counts_the_runs() -> None:
    assert said("built-without-mpi", FAILED) == snapshot(
        [
            (
                "built-without-mpi",
                "critical",
                "certain",
                "2 single-process runs of one rank each instead of one run over all ranks: the "
                "benchmark was built without MPI",
            )
        ]
    )


def test_silent_on_one_run_over_all_ranks() -> None:
    assert findings_of("built-without-mpi", FINE) == ()


def test_silent_on_two_runs_one_after_the_other() -> None:
    assert findings_of("built-without-mpi", table(nranks=1, hosts=("node01",)) * 2) == ()


def test_a_command_for_more_processes_than_the_run_has() -> None:
    text = "$ mpirun -np 8 ./all_reduce_perf -b 8 -e 128M -g 1\n" + table(nranks=1, hosts=("node01",))
    assert said("built-without-mpi", text) == snapshot(
        [
            (
                "built-without-mpi",
                "critical",
                "likely",
                "a single-process run of one rank instead of one run of 8 processes: the benchmark "
                "was built without MPI",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("built-without-mpi", FAILED) == snapshot(
        [
            [
                ("Build the tests with MPI.", "make clean && make MPI=1 MPI_HOME=/path/to/mpi"),
                ("Check that the program is linked with MPI.", "ldd ./build/all_reduce_perf | grep libmpi"),
            ]
        ]
    )

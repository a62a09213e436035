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


def test_equal_runs_of_one_rank_on_two_hosts_one_after_the_other() -> None:
    text = table(nranks=1, hosts=("node01",)) + table(nranks=1, hosts=("node02",))
    assert said("built-without-mpi", text) == snapshot(
        [
            (
                "built-without-mpi",
                "critical",
                "likely",
                "2 single-process runs of one rank each instead of one run over all ranks: the benchmark was built without MPI",
            )
        ]
    )


JOB = """\
kind: Job
spec:
  parallelism: 2       # two nodes
  template:
    spec:
      containers:
        - name: test
          command:
            - bash
            - -c
            - |
              {command}all_reduce_perf -b 8 -e 8G -f 2 -g 8
          env:
            - name: MASTER_ADDR
              value: "10.0.0.1"
"""


def test_a_job_whose_pods_are_not_joined() -> None:
    assert said("built-without-mpi", JOB.format(command="/opt/nccl-tests/build/")) == snapshot(
        [
            (
                "built-without-mpi",
                "warning",
                "likely",
                "each of the 2 pods of the Job runs all_reduce_perf by itself: without a launcher nothing joins them, and nothing between them is measured",
            )
        ]
    )
    assert findings_of("built-without-mpi", JOB.format(command="mpirun -np 16 ./")) == ()
    one = JOB.format(command="/opt/nccl-tests/build/").replace("parallelism: 2", "parallelism: 1")
    assert findings_of("built-without-mpi", one) == ()

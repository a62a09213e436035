from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import remedies
from text_findings import findings_of, remedies_of, said, table

FAILED = table(nranks=1, hosts=("node01",))

FINE = table()


def test_is_a_warning() -> None:
    assert said("one-rank", FAILED) == snapshot(
        [
            (
                "one-rank",
                "warning",
                "certain",
                "all_reduce ran on one rank: bus bandwidth is 0 by definition, no link was used",
            )
        ]
    )


def test_bus_bandwidth_of_a_broadcast_is_not_zero() -> None:
    assert [message for *_, message in said("one-rank", FAILED.replace("all_reduce", "broadcast"))] == [
        "broadcast ran on one rank: no link was used"
    ]


def test_it_says_what_to_do() -> None:
    assert remedies_of("one-rank", FAILED) == snapshot(
        [
            [
                ("Use all GPUs of the node.", "all_reduce_perf -b 8 -e 8G -f 2 -g GPUS"),
                (
                    "Or start one rank for each GPU through MPI.",
                    "mpirun -np GPUS ./all_reduce_perf -b 8 -e 8G -f 2 -g 1",
                ),
            ]
        ]
    )


def test_it_says_how_many_gpus_only_where_the_input_does() -> None:
    (known,) = remedies("one-rank", FAILED, system="dgx_h100")
    assert [command for _, command in known] == snapshot(
        ["all_reduce_perf -b 8 -e 8G -f 2 -g 8", "mpirun -np 8 ./all_reduce_perf -b 8 -e 8G -f 2 -g 1"]
    )


def test_silent_on_two_ranks() -> None:
    assert findings_of("one-rank", FINE) == ()

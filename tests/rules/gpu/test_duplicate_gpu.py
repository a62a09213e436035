from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

FAILED = (
    "node07:4711:4712 [0] init.cc:974 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device b3000\n"
)

FINE = table()


def test_names_both_ranks() -> None:
    assert said("duplicate-gpu", FAILED) == snapshot(
        [("duplicate-gpu", "critical", "certain", "node07: ranks 1 and 0 use the same GPU (bus id b3000)")]
    )


def test_silent_on_equal_device_numbers_of_several_hosts() -> None:
    assert findings_of("duplicate-gpu", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("duplicate-gpu", FAILED) == snapshot(
        [
            [
                (
                    "See which GPU each rank is given.",
                    "srun bash -c 'echo $SLURM_PROCID $SLURM_LOCALID $CUDA_VISIBLE_DEVICES'",
                ),
                (
                    "Start one rank for each GPU of a node, and no more.",
                    "mpirun -np 16 -N 8 ./all_reduce_perf -g 1 ...",
                ),
            ]
        ]
    )

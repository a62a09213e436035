"""Processes that are bound to one core."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said

BOUND = "".join(f"cpu-bind=MASK - gpu01, task  {n}  {n} [{40 + n}]: mask 0x{1 << n:x} set\n" for n in range(4))
STEPS = "".join(f"step {n}/900 | loss 2.5 | step_time 3.{n % 3}1s\n" for n in range(1, 30))
LOADER = (
    "dataloader.py:557: UserWarning: This DataLoader will create 4 worker processes in total. Our suggested max number "
    "of worker in current system is 1, which is smaller than what this DataLoader is going to create.\n"
)


def test_a_training_on_one_core_a_rank_is_slow_for_that() -> None:
    assert said("one-core", BOUND + STEPS) == snapshot(
        [
            (
                "proxy-affinity",
                "error",
                "likely",
                "4 processes bound to one core each, as srun says: its threads, NCCL's proxies and its loaders of data "
                "take turns on it",
            )
        ]
    )


def test_the_loader_of_data_knows_it_too() -> None:
    assert said("one-core", LOADER) == snapshot(
        [
            (
                "proxy-affinity",
                "error",
                "likely",
                "a process may use one processor only, as PyTorch's loader of data says: its threads, NCCL's proxies "
                "and its loaders of data take turns on it",
            )
        ]
    )


def test_a_program_that_may_be_of_mpi_alone_is_a_warning() -> None:
    assert [(severity, confidence) for _, severity, confidence, _ in said("one-core", BOUND)] == [
        ("warning", "possible")
    ]


def test_a_share_of_the_node_is_nothing_to_find() -> None:
    assert said("one-core", BOUND.replace("mask 0x", "mask 0xff0") + STEPS) == []
    assert said("one-core", LOADER.replace("is 1,", "is 3,")) == []
